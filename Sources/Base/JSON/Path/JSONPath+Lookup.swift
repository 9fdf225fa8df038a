extension JSONPath {
  /// The first value that the path leads to, in the order of the text; of duplicate keys the first.
  public func first(in value: JSONValue) -> JSONValue? {
    value.withTape { first($0, value.index, 0) }
      .map { JSONValue(document: value.document, index: $0) }
  }

  /// The member name with which the path begins.
  public var firstName: [UInt8]? {
    if case .key(let name) = segments.first { name } else { nil }
  }

  /// The path is a single member name.
  public var isOneName: Bool { segments.count == 1 && firstName != nil }

  /// The first value, given the place of the first member; see `MemberNames`.
  public func first(in value: JSONValue, behind place: Int) -> JSONValue? {
    value.withTape { first($0, place, 1) }
      .map { JSONValue(document: value.document, index: $0) }
  }

  private func first(_ tape: Tape, _ start: Int, _ segment: Int) -> Int? {
    guard let (index, end) = straight(tape, start, segment) else { return nil }
    if end == segments.count { return index }
    var found: Int?
    _ = visitEvery(tape, index, end + 1) { place in
      found = place
      return false
    }
    return found
  }

  /// All values that the path leads to, in the order of the text. Bounded only by the size of the document.
  public func all(in value: JSONValue) -> [JSONValue] {
    var found: [JSONValue] = []
    value.withTape { tape in
      _ = visit(tape, value.index, 0) { index in
        found.append(JSONValue(document: value.document, index: index))
        return true
      }
    }
    return found
  }

  /// One element for each entry of the lists in the path: its value, or nil if it has none. Empty if the list is; nil
  /// if the outermost list is missing.
  public func entries(in value: JSONValue) -> [JSONValue?]? {
    var found: [JSONValue?] = []
    return value.withTape { tape in
      // An answer `{}` says nothing about a list.
      guard let (index, segment) = straight(tape, value.index, 0),
        segment == segments.count
          || tape.tag(index) == Tape.Tag.array
          || tape.tag(index) == Tape.Tag.object && (segment > 0 || tape.close(index) > index + 1)
      else { return nil }
      let take = { (index: Int) in
        found.append(JSONValue(document: value.document, index: index))
        return true
      }
      _ =
        segment == segments.count
        ? take(index)
        : visitEvery(tape, index, segment + 1, orNothing: { found.append(nil) }, take)
      return found
    }
  }

  /// The member names of the values of `entries`, if the path ends with `*`; nil for elements of a list.
  public func names(in value: JSONValue) -> [String?] {
    guard endsEverywhere else { return [] }
    let holders = self[..<(segments.count - 1)]
    return (holders.entries(in: value) ?? []).flatMap { holder -> [String?] in
      guard let holder, holder.isObject || holder.isArray else {
        return holders.hasWildcard ? [nil] : []
      }
      return holder.isObject
        ? holder.members.map(\.key.string) : Array(repeating: nil, count: holder.count)
    }
  }

  /// Whether any value at the path passes; stops at the first and allocates nothing.
  public func contains(in value: JSONValue, where passes: (JSONValue) -> Bool) -> Bool {
    var found = false
    value.withTape { tape in
      _ = visit(tape, value.index, 0) { index in
        found = passes(JSONValue(document: value.document, index: index))
        return !found
      }
    }
    return found
  }

  /// Calls `body` with each place until it returns false; returns whether to continue. Recurses only at wildcards, so
  /// at most `segmentsMax` deep.
  /// - Parameter orNothing: called for each list entry for which the path leads to nothing.
  private func visit(
    _ tape: Tape, _ start: Int, _ segment: Int, orNothing: (() -> Void)? = nil,
    _ body: (Int) -> Bool
  ) -> Bool {
    guard let (index, end) = straight(tape, start, segment) else {
      if segment > 0 { orNothing?() }
      return true
    }
    return end == segments.count
      ? body(index) : visitEvery(tape, index, end + 1, orNothing: orNothing, body)
  }

  /// Follows the path while it leads to one place: to its end or to a wildcard. Nil: it leads to nothing.
  private func straight(
    _ tape: Tape, _ start: Int, _ segment: Int
  ) -> (index: Int, segment: Int)? {
    var index = start
    for at in segment..<segments.count {
      if case .every = segments[at] { return (index, at) }
      guard let next = step(tape, index, at) else { return nil }
      index = next
    }
    return (index, segments.count)
  }

  private func visitEvery(
    _ tape: Tape, _ index: Int, _ segment: Int, orNothing: (() -> Void)? = nil,
    _ body: (Int) -> Bool
  ) -> Bool {
    let tag = tape.tag(index)
    guard tag == Tape.Tag.array || tag == Tape.Tag.object else {
      // Not for the outermost list: if it is missing there is no entry.
      if segments[..<(segment - 1)].contains(.every) { orNothing?() }
      return true
    }
    let keys = tag == Tape.Tag.object ? 1 : 0
    let end = tape.close(index)
    var at = index + 1
    while at < end {
      guard visit(tape, at + keys, segment, orNothing: orNothing, body) else { return false }
      at = tape.next(at + keys)
    }
    return true
  }

  private func step(_ tape: Tape, _ index: Int, _ segment: Int) -> Int? {
    switch segments[segment] {
    case .key(let key): key.withUnsafeBufferPointer { tape.member($0, of: index) }
    case .number(let position, let key):
      tape.tag(index) == Tape.Tag.array
        ? tape.element(position, of: index)
        : key.withUnsafeBufferPointer { tape.member($0, of: index) }
    case .every: nil
    case .last:
      tape.tag(index) == Tape.Tag.array ? tape.element(tape.count(index) - 1, of: index) : nil
    case .chosen(let key, let value): tape.element(with: key, value, of: index)
    }
  }
}
