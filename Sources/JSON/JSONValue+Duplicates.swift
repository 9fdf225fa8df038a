extension JSONValue {
  /// Objects of up to this many members are compared pair by pair, larger ones by sorting.
  private static let pairwiseMax = 16

  /// How many members, of this value and of all within it, repeat an earlier key of their object.
  /// One pass over the value when asked; reading a document does not look for them.
  public var duplicateKeys: Int {
    withTape { tape in
      var found = 0
      var at = index
      let end = tape.next(index)
      while at < end {
        let tag = tape.tag(at)
        if tag == Tape.Tag.object { found += JSONValue.duplicates(tape, at) }
        // Step into lists and objects: their contents follow on the tape.
        at = tag == Tape.Tag.object || tag == Tape.Tag.array ? at + 1 : tape.next(at)
      }
      return found
    }
  }

  private static func duplicates(_ tape: Tape, _ object: Int) -> Int {
    let count = tape.count(object)
    if count < 2 { return 0 }
    return count <= pairwiseMax
      ? pairwise(tape, object, count) : sorted(tape, object, count)
  }

  private static func pairwise(_ tape: Tape, _ object: Int, _ count: Int) -> Int {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { keys in
      var found = 0
      var at = object + 1
      for taken in 0..<count {
        let key = tape.string(at)
        for earlier in 0..<taken where Tape.equal(key, tape.string(keys[earlier])) {
          found += 1
          break
        }
        keys.initializeElement(at: taken, to: at)
        at = tape.next(at + 1)
      }
      return found
    }
  }

  private static func sorted(_ tape: Tape, _ object: Int, _ count: Int) -> Int {
    var keys: [Int] = []
    keys.reserveCapacity(count)
    var at = object + 1
    for _ in 0..<count {
      keys.append(at)
      at = tape.next(at + 1)
    }
    keys.sort { isBefore(tape.string($0), tape.string($1)) }
    var found = 0
    for place in 1..<count
    where Tape.equal(tape.string(keys[place - 1]), tape.string(keys[place])) {
      found += 1
    }
    return found
  }

  /// By length, then by bytes: any total order serves.
  private static func isBefore(
    _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if one.count != other.count { return one.count < other.count }
    for at in 0..<one.count where one[at] != other[at] { return one[at] < other[at] }
    return false
  }
}
