/// A part of an answer that hints at the length of its list, or at more of it, and that the stream's job does not read.
public struct UnreadSign: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Names a next page, or says that more follow.
    case more
    /// Says that nothing follows.
    case end
    /// Says that the answer lacks records: a search that timed out, a part of a range.
    case part
    /// What the job reads for the next page says that nothing follows.
    case last
    /// The length of the list.
    case length
    /// The length of the list, or of this page.
    case count
    /// The number of pages.
    case pages
    /// The number of this page.
    case page
    /// Says that records precede this page.
    case before
    /// A cursor that may lead on, or repeat where this page began.
    case cursor
    /// A message, warning or error beside the records.
    case notice
    /// A message of a page with records that the API ends the list here, in words that the job declares.
    case limit
    /// Its meaning is unclear.
    case unclear
    /// A member that occurs twice.
    case twice
    /// A column that most rows have filled, but no record of the page.
    case emptied
    /// No record is in the window that was requested.
    case outside
    /// The answer is older than the walk: it came from a cache.
    case old
    /// The answer is older than the one before it, but not than the walk.
    case older

    /// Concerns the answer's age, not the list.
    public var isAge: Bool { self == .old || self == .older }
  }

  /// Its path in the body, the name of a header field, or `status`.
  public var place: String
  public var kind: Kind
  /// What is there, shortened.
  public var value: String
  /// The number of a length, count or page.
  public var number: Int?
  /// It is in a header field, which a 304 sends again.
  public var isInHead = false

  public init(_ place: String, _ kind: Kind, _ value: String, number: Int? = nil) {
    self.place = place
    self.kind = kind
    self.value = value
    self.number = number
  }

  /// In the notation of `unread` in a job file.
  public var written: String {
    isInHead && place != "status" ? Self.head + place.lowercased() : place
  }

  static let head = "header:"
}

extension Stream {
  /// The job itself reads the sign, which is kept for the judgement of a walk.
  public func reads(_ sign: UnreadSign) -> Bool {
    if sign.kind == .last { return true }
    guard sign.kind == .pages, let lastPage else { return false }
    switch lastPage {
    case .header(let name): return sign.place.equalsIgnoringCase(name)
    case .body(let paths): return sign.place == paths.map(\.text).joined(separator: " | ")
    }
  }

  /// The job declares this sign, or what contains it, as known.
  public func knows(_ sign: UnreadSign) -> Bool {
    guard !unread.isEmpty else { return false }
    // A header field is one step, whatever its name.
    let place = (try? JSONPath(sign.written))?.steps ?? [sign.written]
    return unread.contains { known in
      known.count <= place.count
        && zip(known, place).allSatisfy { $0 == "*" || $0.utf8.elementsEqual($1.utf8) }
    }
  }
}
