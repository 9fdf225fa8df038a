/// The seam for crash tests: named places where a test may stop the process or make it fail. In a shipped run nothing
/// is armed and a visit costs one comparison.
public struct FaultPoint: Sendable {
  public enum Place: String, Sendable, CaseIterable {
    case duringUpgrade
    case beforePageCommit, afterPageCommit, afterLook
    /// Before and after an answer about one record is stored, even if there was nothing to store.
    case beforeMark, afterMark
    case beforeCertificate, afterCertificate
    case beforeMediaRename, afterMediaRename, afterMediaRow
    case beforeLedgerReserve, afterLedgerReserve
    /// The ledger would survive a power cut.
    case afterLedgerSync
    /// An access token arrived with the successor of a secret that is now used up.
    case beforeSecretKept, afterSecretKept
    case beforeReport
    /// Before records are forgotten; after that, while their bytes are still there; after the file was rewritten.
    case beforeForgetting, afterForgetting, afterWiping
    /// A backup, a restored database or a copy for readers is renamed into place.
    case beforeDraftRename, afterDraftRename
  }

  private let visit: (@Sendable (Place) -> Void)?

  public init(_ visit: @escaping @Sendable (Place) -> Void) { self.visit = visit }
  private init() { visit = nil }

  /// Does nothing.
  public static let none = FaultPoint()

  public func reach(_ place: Place) { visit?(place) }
}
