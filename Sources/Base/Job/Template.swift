/// Text with `{name}` holes for parameter values, parents' keys and the window's ends
/// (`{from}`, `{to}`).
public struct Template: Hashable, Sendable, CustomStringConvertible {
  public enum Part: Hashable, Sendable {
    case text(String)
    case hole(String)
  }

  /// Holes that Trawl fills itself: the API's host, and the ends of a window.
  public static let own = ["host", "from", "to"]

  public var parts: [Part]

  public init(_ parts: [Part]) { self.parts = parts }

  /// Nil if a brace is not closed or a name is empty. `{{` and `}}` are literal braces.
  public init?(_ source: String) {
    var parts: [Part] = []
    var text: [UInt8] = []
    let bytes = Array(source.utf8)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let isDoubled = index + 1 < bytes.count && bytes[index + 1] == byte
      if (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")) && isDoubled {
        text.append(byte)
        index += 2
      } else if byte == UInt8(ascii: "{") {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")), end > index + 1 else {
          return nil
        }
        if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
        text = []
        parts.append(.hole(String(decoding: bytes[(index + 1)..<end], as: UTF8.self)))
        index = end + 1
      } else if byte == UInt8(ascii: "}") {
        return nil
      } else {
        text.append(byte)
        index += 1
      }
    }
    if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
    self.parts = parts
  }

  public var holes: [String] {
    parts.compactMap { if case .hole(let name) = $0 { name } else { nil } }
  }

  /// Nil if a hole has no value.
  public func filled(_ value: (String) -> String?) -> String? {
    var out = ""
    for part in parts {
      switch part {
      case .text(let text): out += text
      case .hole(let name):
        guard let text = value(name) else { return nil }
        out += text
      }
    }
    return out
  }

  public var description: String { filled { "{\($0)}" } ?? "" }
}
