/// Something in an answer that speaks of the length of its list, or of more of it, and that the job
/// of its stream does not read.
public struct UnreadSign: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Names a next page, or says that more follow.
    case more
    /// Says that nothing follows.
    case end
    /// Says that the answer lacks records that belong into it: a search that timed out, a part of a range.
    case part
    /// So does what the job reads, at the place where a next page is named.
    case last
    /// The length of the list.
    case length
    /// The length of the list, or of this page.
    case count
    /// How many pages there are.
    case pages
    /// Which page this is.
    case page
    /// Says that records precede this page.
    case before
    /// May lead on, or repeat where this page began.
    case cursor
    /// A message, a warning or an error beside the records.
    case notice
    /// Says of a page with records that the API ends the list here; its job knows the words.
    case limit
    /// Its meaning is unclear.
    case unclear
    /// It occurs twice.
    case twice
    /// A column that nearly all rows have filled, and no record of the page.
    case emptied
    /// No record lies in the stretch of time that was requested.
    case outside
    /// The answer is older than the walk: it came from a cache.
    case old
    /// It is older than the answer before it, though not than the walk.
    case older

    /// Of the answer's age, not of the list.
    public var isAge: Bool { self == .old || self == .older }
  }

  /// Its path in the body, the name of a header field, or `status`.
  public var place: String
  public var kind: Kind
  /// What is there, shortened.
  public var value: String
  /// For a length, a count or a page.
  public var number: Int?
  /// It is in the answer's head, which a 304 gives anew.
  public var isInHead = false

  public init(_ place: String, _ kind: Kind, _ value: String, number: Int? = nil) {
    self.place = place
    self.kind = kind
    self.value = value
    self.number = number
  }

  /// As a job file writes it under `unread`.
  public var written: String {
    isInHead && place != "status" ? Self.head + place.lowercased() : place
  }

  static let head = "header:"
}

extension Stream {
  /// The sign is one that the job itself reads, kept for the judgement of a walk.
  public func reads(_ sign: UnreadSign) -> Bool {
    if sign.kind == .last { return true }
    guard sign.kind == .pages, let lastPage else { return false }
    switch lastPage {
    case .header(let name): return sign.place.equalsIgnoringCase(name)
    case .body(let paths): return sign.place == paths.map(\.text).joined(separator: " | ")
    }
  }

  /// The job says that it knows of this sign, or of what holds it.
  public func knows(_ sign: UnreadSign) -> Bool {
    guard !unread.isEmpty else { return false }
    // A field of the head is one step, whatever it is called.
    let place = (try? JSONPath(sign.written))?.steps ?? [sign.written]
    return unread.contains { known in
      known.count <= place.count
        && zip(known, place).allSatisfy { $0 == "*" || $0.utf8.elementsEqual($1.utf8) }
    }
  }
}
