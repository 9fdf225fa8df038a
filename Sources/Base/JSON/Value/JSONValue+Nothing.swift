extension JSONValue {
  /// Null, where nothing stands.
  public static let nothing: JSONValue = {
    guard let null = JSONValue(text: "null") else { preconditionFailure("null is JSON") }
    return null
  }()

  /// The root of a document; nil: the text is no JSON.
  public init?(text: String) {
    // Who reads it so asks only whether there is a value.
    guard let document = try? JSONDocument.read(Array(text.utf8)) else { return nil }
    self = document.root
  }
}
