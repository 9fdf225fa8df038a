import Base
import TestSupport
import Testing

@Suite("A secret within a code")
struct SeenSecretTests {
  private static func random(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<count).map { _ in UInt8(0x21 + random.next() % 94) }
  }

  /// How a server may encode a text with a secret.
  private static func codes(_ before: [UInt8], _ secret: [UInt8], _ after: [UInt8]) -> [String] {
    let plain = Base64.encoded(before + secret + after)
    let other = plain.replacing("+", with: "-").replacing("/", with: "_")
    let digits = Hexadecimal.text(before + secret + after)
    return [
      plain, other, plain.replacing("/", with: "\\/"), plain.replacing("=", with: "%3D"),
      plain.replacing("+", with: "%2B").replacing("/", with: "%2f"), digits, digits.uppercased(),
    ]
  }

  /// The longest piece of a code that depends on the secret alone, without letters that share bits with its neighbours.
  private static func core(_ before: Int, _ secret: [UInt8], _ code: String) -> Substring {
    let isHex = code.count == code.filter(\.isHexDigit).count && code.count % 2 == 0
    let letters = Array(code)
    let (from, to) =
      isHex
      ? (2 * before, 2 * (before + secret.count))
      : ((8 * before + 5) / 6, 8 * (before + secret.count) / 6)
    return Substring(String(letters[min(from, letters.count)..<min(to, letters.count)]))
  }

  @Test(
    "is masked in hexadecimal and within Base64, wherever it begins there, in any of their spellings"
  )
  func generated() {
    var random = SeededRandom(seed: 38)
    for round in 0..<2000 {
      let secret = Self.random(6 + Int(random.next() % 30), &random)
      let before = Self.random(Int(random.next() % 9), &random)
      let after = Self.random(Int(random.next() % 9), &random)
      let seen = SeenSecrets()
      let screen = SecretScreen(nil, seen: seen)
      let codes = Self.codes(before, secret, after)
      for code in codes {
        let body = Array(#"{"echo":"\#(code)"}"#.utf8)
        // What the run has not seen yet counts as data.
        #expect(screen.clean(body) == body)
      }
      seen.note([String(decoding: secret, as: UTF8.self)])
      for (index, code) in codes.enumerated() {
        let cleaned = String(
          decoding: screen.clean(Array(#"{"echo":"\#(code)"}"#.utf8)), as: UTF8.self)
        #expect(cleaned.contains("***"), "\(round), \(index): \(code)")
        if [0, 1, 5, 6].contains(index) {
          let core = Self.core(before.count, secret, code)
          #expect(!cleaned.contains(core), "\(round), \(index): \(cleaned)")
        }
        #expect(screen.isHeld(by: code))
      }
    }
  }

  @Test("is found whichever of several it is, in one pass, and nothing else is changed")
  func several() {
    var random = SeededRandom(seed: 39)
    for _ in 0..<300 {
      let secrets = (0..<(1 + random.next() % 6)).map { _ in
        Self.random(6 + Int(random.next() % 20), &random)
      }
      let seen = SeenSecrets()
      seen.note(secrets.map { String(decoding: $0, as: UTF8.self) })
      let screen = SecretScreen(nil, seen: seen)
      let filler = (0..<8).map { _ in
        Array(String(repeating: "\n\\n&amp;%20 ~", count: Int(random.next() % 5)).utf8)
      }
      var (text, due): ([UInt8], [UInt8]) = ([], [])
      for (index, piece) in filler.enumerated() {
        text += piece + secrets[index % secrets.count]
        due += piece + Array("***".utf8)
      }
      #expect(screen.clean(text) == due)
      #expect(screen.clean(filler[0]) == filler[0])
    }
  }
}
