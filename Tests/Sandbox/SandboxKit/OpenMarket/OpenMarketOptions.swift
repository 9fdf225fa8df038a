/// Size and behaviour of the imitated Open Market.
public struct OpenMarketOptions: Sendable {
  /// What `/healthChecker` answers.
  public enum Health: Sendable, CaseIterable {
    /// `OK`, without quotes in the third generation and with them in the second.
    case usual
    case bare, quoted, newline
    /// 200, but another word.
    case no
    /// 200 with an HTML page.
    case html
    case status500
  }

  public var products: Int
  public var health = Health.usual

  public init(_ size: SandboxSize) {
    products = size == .small ? 57 : 243
  }
}
