internal import Base

/// The result of a command line; thrown if there is no result.
public struct Outcome: Error, Sendable {
  public var status: Int32
  /// For standard output.
  public var output = ""
  /// For standard error: may contain text of a manifest.
  var notes: [String] = []

  static let failed: Int32 = 1
  static let less: Int32 = 3
  static let usage: Int32 = 64
  static let cannotCreate: Int32 = 73

  public init(status: Int32, output: String = "", notes: [String] = []) {
    (self.status, self.output, self.notes) = (status, output, notes)
  }

  public var notesText: [UInt8] {
    Array(notes.map { "trawl-translate: \($0.harmless(upTo: 2_000))\n" }.joined().utf8)
  }
}
