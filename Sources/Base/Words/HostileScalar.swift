/// Characters of foreign text that could affect the text around them on a terminal, in a page or a message.
extension Unicode.Scalar {
  /// Controls (C0, DEL, C1), bidirectional overrides and isolates, invisible characters, line separators and tags.
  /// Visible format signs of Arabic and Syriac are allowed.
  public var isHostile: Bool {
    switch value {
    case 0x20..<0x7f: return false
    case 0..<0x20, 0x7f..<0xa0: return true
    // Invisible fillers, which Unicode calls letters.
    case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800: return true
    // Noncharacters: neither XML nor HTML allows them.
    case 0xfffe, 0xffff: return true
    // Visible signs above or around numbers.
    case 0x600...0x605, 0x6dd, 0x70f, 0x8e2: return false
    default: break
    }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
    default: return false
    }
  }
}

extension String {
  /// For a message: one line without hostile characters, cut if long.
  public var shown: String {
    harmless(upTo: 60) + (isLonger(than: 60) ? "…" : "")
  }

  /// At most `most` characters, with hostile ones replaced.
  public func harmless(upTo most: Int, _ other: Unicode.Scalar = "\u{FFFD}") -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: unicodeScalars.prefix(most).map { $0.isHostile ? other : $0 })
    return String(text)
  }

  /// At most `most` characters, the last an ellipsis if there were more.
  public func shortened(to most: Int) -> String {
    count > most ? prefix(most - 1) + "…" : self
  }

  public func isLonger(than most: Int) -> Bool { !unicodeScalars.dropFirst(most).isEmpty }
}
