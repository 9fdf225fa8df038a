extension Sequence<String> {
  /// Compares names as bytes: two spellings of "é" are equal texts but different names.
  public func containsBytes(_ name: String) -> Bool {
    contains { $0.utf8.elementsEqual(name.utf8) }
  }
}

extension Collection<String> {
  /// Whether the choice includes a name; an empty one includes all.
  public func takes(_ name: String) -> Bool { isEmpty || containsBytes(name) }
}
