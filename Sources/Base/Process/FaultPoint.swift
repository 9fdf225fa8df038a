/// The crash seam: named places where a test may stop the process or make it fail. In a shipped
/// run nothing is armed and a visit costs one comparison.
public struct FaultPoint: Sendable {
  public enum Place: String, Sendable, CaseIterable {
    case duringUpgrade
    case beforePageCommit, afterPageCommit, afterLook
    /// An answer about one record is being kept; it is kept, or there was nothing to keep.
    case beforeMark, afterMark
    case beforeCertificate, afterCertificate
    case beforeMediaRename, afterMediaRename, afterMediaRow
    case beforeLedgerReserve, afterLedgerReserve
    /// What the ledger holds would survive a power cut.
    case afterLedgerSync
    /// An access token came, and with it the successor of a secret that is spent now.
    case beforeSecretKept, afterSecretKept
    case beforeReport
    /// Records are forgotten; they are, and their bytes are still there; the file was written anew.
    case beforeForgetting, afterForgetting, afterWiping
    /// A backup, a restored database or a copy for readers gets its name.
    case beforeDraftRename, afterDraftRename
  }

  private let visit: (@Sendable (Place) -> Void)?

  public init(_ visit: @escaping @Sendable (Place) -> Void) { self.visit = visit }
  private init() { visit = nil }

  /// Nothing ever happens here.
  public static let none = FaultPoint()

  public func reach(_ place: Place) { visit?(place) }
}
