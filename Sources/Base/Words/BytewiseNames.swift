extension Sequence<String> {
  /// Names are compared as bytes: two spellings of "é" are equal texts, and name different things.
  public func containsBytes(_ name: String) -> Bool {
    contains { $0.utf8.elementsEqual(name.utf8) }
  }
}

extension Collection<String> {
  /// A choice of names; an empty one takes all.
  public func takes(_ name: String) -> Bool { isEmpty || containsBytes(name) }
}
