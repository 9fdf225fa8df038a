extension JSONValue {
  /// Null, where nothing stands.
  public static let nothing: JSONValue = {
    // Four letters that every JSON reader takes.
    guard let document = try? JSONDocument.read(Array("null".utf8)) else {
      preconditionFailure("null is JSON")
    }
    return document.root
  }()
}
