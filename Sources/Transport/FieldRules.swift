/// The form of header fields that we send.
enum FieldRules {
  /// The characters of a `token` in RFC 9110 section 5.6.2.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    !name.isEmpty
      && name.allSatisfy { byte in
        (97...122).contains(byte | 32) || byte == UInt8(ascii: "-") || (48...57).contains(byte)
          || "!#$%&'*+.^_`|~".utf8.contains(byte)
      }
  }

  /// One line: no control character but the tab, so nothing can end the field early.
  static func isValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 32 && $0 != 127) || $0 == 9 }
  }
}
