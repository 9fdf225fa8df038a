extension JSONWriter {
  /// A whole document, written by `body`.
  public static func text<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) -> String {
    var writer = JSONWriter()
    try body(&writer)
    return writer.text
  }

  /// A member of an object in one call; null if the value is nil.
  public mutating func member(_ name: String, _ value: (some JSONWritable)?) {
    key(name)
    if let value { value.write(to: &self) } else { null() }
  }

  /// A member that is an object, whose members `body` writes.
  public mutating func object<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(body)
  }

  /// A member that is a list, whose elements `body` writes.
  public mutating func array<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(body)
  }
}
