/// Independent runs, so many at once.
enum Parallel {
  /// - Parameter take: gets each result as soon as it is there.
  static func run<Item: Sendable, Found: Sendable>(
    _ items: some Sequence<Item>, atOnce: Int, _ body: @escaping @Sendable (Item) async -> Found,
    then take: (Found) -> Void
  ) async {
    await withTaskGroup(of: Found.self) { group in
      var rest = items.makeIterator()
      func begin() {
        guard let item = rest.next() else { return }
        group.addTask { await body(item) }
      }
      for _ in 0..<atOnce { begin() }
      while let found = await group.next() {
        take(found)
        begin()
      }
    }
  }
}
