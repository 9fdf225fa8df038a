/// `trawl_unescape`: text in which an API wrote the five characters that HTML reserves as entities.
/// One pass, so that what was escaped twice stays escaped once.
enum HTMLText {
  private static let entities: [(name: [UInt8], byte: UInt8)] = [
    (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
    (Array("&gt;".utf8), UInt8(ascii: ">")), (Array("&quot;".utf8), UInt8(ascii: "\"")),
    (Array("&#39;".utf8), UInt8(ascii: "'")), (Array("&apos;".utf8), UInt8(ascii: "'")),
  ]

  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    let bytes = Array(text.utf8)
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if bytes[index] == UInt8(ascii: "&"),
        let entity = entities.first(where: { rest.starts(with: $0.name) })
      {
        plain.append(entity.byte)
        index += entity.name.count
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}
