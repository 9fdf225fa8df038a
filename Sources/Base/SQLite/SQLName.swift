internal import CSQLite

/// Names of tables and columns in SQL text.
public enum SQLName {
  /// `[A-Za-z_][A-Za-z0-9_]{0,62}`
  private static func isPlain(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, bytes.count <= 63, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (48...57).contains($0) }
  }

  /// Unchanged if that is safe, else double-quoted.
  public static func quoted(_ name: String) -> String {
    let length = Int32(name.utf8.count)
    if isPlain(name), sqlite3_keyword_check(name, length) == 0 { return name }
    return always(quoted: name)
  }

  public static func always(quoted name: String) -> String { name.between("\"") }

  /// A text literal.
  public static func literal(_ text: String) -> String { text.between("'") }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) || byte == UInt8(ascii: "_")
  }
}

extension String {
  /// In these quotes, with those in the text doubled.
  fileprivate func between(_ mark: Unicode.Scalar) -> String {
    var text = String(mark)
    for scalar in unicodeScalars {
      if scalar == mark { text.unicodeScalars.append(mark) }
      text.unicodeScalars.append(scalar)
    }
    text.unicodeScalars.append(mark)
    return text
  }
}
