/// Suggestions for a path that leads to nothing.
extension JSONPath {
  /// Whether the path enters an empty list or object: what it would find there is unknown.
  public func endsAtNothing(in value: JSONValue) -> Bool {
    guard let wildcard = segments.firstIndex(of: .every) else { return false }
    let holder = self[..<wildcard].first(in: value)
    return holder.map { $0.count == 0 } ?? false
  }

  /// The nearest path that leads to something in one of the values: with a member of similar spelling, or one of the
  /// same name elsewhere.
  /// - Parameter others: members that no column reads yet.
  public func nearest(in values: [JSONValue], others: [String]) -> String? {
    var places = values
    for (index, step) in steps.enumerated() {
      let here = self[index...index]
      let next = places.flatMap { here.all(in: $0) }
      guard next.isEmpty else {
        places = next
        continue
      }
      // An object may have thousands of members.
      var seen: Set<String> = []
      let names = places.flatMap { $0.members.compactMap { $0.key.string } }
        .filter { seen.insert($0).inserted }
      guard let near = Suggestion.nearest(to: step, in: names) else { break }
      var way = steps
      way[index] = near
      let whole = Self.text(of: way)
      // A path that cannot be written leads nowhere.
      let leads = (try? JSONPath(whole)).map { path in
        values.contains { path.first(in: $0) != nil }
      }
      return leads == true ? whole : Self.text(of: Array(way[...index]))
    }
    return likely(among: others)
  }

  /// The path that ends with the same name, else the one with the longest common piece of at least four letters.
  private func likely(among others: [String]) -> String? {
    guard let last = steps.last(where: { $0 != "*" }) else { return nil }
    let ends = others.map { ($0, String($0.split(separator: ".").last ?? "")) }
    if let same = ends.first(where: { $0.1.equalsIgnoringCase(last) }) { return same.0 }
    let pieces = ends.map { ($0.0, Self.commonPiece(of: $0.1, last)) }
    return pieces.filter { $0.1 >= 4 }.max { $0.1 < $1.1 }?.0
  }

  /// The length of the longest common piece.
  private static func commonPiece(of one: String, _ other: String) -> Int {
    let (one, other) = (Array(one.lowercased().utf8), Array(other.lowercased().utf8))
    var longest = 0
    var before = [Int](repeating: 0, count: other.count + 1)
    for letter in one {
      var row = [Int](repeating: 0, count: other.count + 1)
      for (index, second) in other.enumerated() where second == letter {
        row[index + 1] = before[index] + 1
        longest = max(longest, row[index + 1])
      }
      before = row
    }
    return longest
  }
}
