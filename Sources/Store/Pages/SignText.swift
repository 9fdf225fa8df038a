internal import Base

/// What an answer says of more of its list, as `trawl_pages` keeps it: `[["next","more","…",null]]`.
enum SignText {
  static func text(_ signs: [UnreadSign]) -> String? {
    guard !signs.isEmpty else { return nil }
    var writer = JSONWriter()
    writer.array { out in
      for sign in signs {
        out.array { out in
          out.string(sign.place)
          out.string(sign.kind.rawValue)
          out.string(sign.value)
          if let number = sign.number { out.integer(number) } else { out.null() }
          if sign.isInHead { out.string("head") }
        }
      }
    }
    return writer.text
  }

  /// Of a row that another hand has changed nothing is taken that is not known.
  static func signs(_ text: String?) -> [UnreadSign] {
    guard let text,
      let document = try? JSONDocument.read(Array(text.utf8))  // else it is nobody's
    else { return [] }
    return document.root.elements.compactMap { row in
      guard let place = row[0]?.string,
        let kind = row[1]?.string.flatMap(UnreadSign.Kind.init(rawValue:))
      else { return nil }
      var sign = UnreadSign(
        place, kind, row[2]?.string ?? "", number: row[3]?.integer.flatMap { Int(exactly: $0) })
      sign.isInHead = row[4]?.isString("head") ?? false
      return sign
    }
  }
}
