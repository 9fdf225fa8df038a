internal import Base

extension JSONWriter {
  /// The bytes of one value.
  static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
  }

  /// A member that is a list of texts.
  mutating func strings(_ name: String, _ values: [String]) {
    array(name) { json in for value in values { json.string(value) } }
  }
}
