/// Records that an unproven walk lacks, and what the API answered about each.
public struct MissingTally: Sendable, Equatable {
  /// All that look gone and may be asked about.
  public var missing: Int
  /// How many look gone without being asked about: too many.
  var withheld: Int
  public var gone = 0
  public var present = 0
  /// Asked about, without a usable answer.
  public var unknown = 0
  /// Why the others wait for the next run.
  public var why = ""
  /// The ledger cannot be written, so nothing may be sent any more.
  public var isBroken = false

  public init(missing: Int, withheld: Int = 0) {
    self.missing = missing
    self.withheld = withheld
  }

  /// Not asked about in this run.
  public var waiting: Int { max(0, missing - gone - present - unknown) }

  /// Whether some records may or may not be gone.
  public var isOpen: Bool { waiting + unknown > 0 }

  /// `3 looked gone: 2 are, 1 was still there`
  public var sentence: String {
    var parts: [String] = []
    if gone > 0 { parts.append(gone == 1 ? "1 is" : "\(gone) are") }
    if present > 0 { parts.append("\(present) \(present == 1 ? "was" : "were") still there") }
    if unknown > 0 { parts.append("of \(unknown) nothing is known") }
    if waiting > 0 {
      let what = "\(waiting) \(waiting == 1 ? "waits" : "wait") for the next run"
      parts.append(why.isEmpty ? what : "\(what) (\(why))")
    }
    return "\(missing) looked gone: \(parts.joined(separator: ", "))"
  }
}
