import Base
import TestSupport
import Testing

@Suite("A secret in another spelling")
struct SpellingTests {
  static let secrets = [
    "k3y/with+some=signs", "abc+/=", "50%25off&more", "with space in it", "quote\"and\\slash",
    "plainletters123",
  ]

  private static func hexadecimal(_ byte: UInt8, _ random: inout SeededRandom) -> String {
    let text = Hexadecimal.text([byte])
    return random.next() % 2 == 0 ? text : text.uppercased()
  }

  /// One of the spellings of a byte in an address or body.
  private static func spelled(_ byte: UInt8, _ random: inout SeededRandom) -> String {
    let plain = String(decoding: [byte], as: UTF8.self)
    let digits = hexadecimal(byte, &random)
    switch random.next() % 10 {
    case 0: return "%\(digits)"
    case 1: return "%25\(digits)"
    case 2: return "%2525\(digits)"
    case 3: return "\\u00\(digits)"
    case 4: return "\\u0025\(digits)"
    case 5: return "&#\(byte);"
    case 9: return "&#x\(digits);"
    case 6 where plain == "+": return " "
    case 6 where plain == " ": return "+"
    case 7 where "/\"\\".contains(plain): return "\\\(plain)"
    default: return plain
    }
  }

  private static func screen(_ secret: String) -> SecretScreen {
    SecretScreen(Credential(place: .query(name: "key"), secret: Secret(secret), origins: []))
  }

  @Test("is found, and masked whole, whatever each of its letters looks like", arguments: secrets)
  func generated(secret: String) {
    var random = SeededRandom(seed: Digest64.of(secret.utf8))
    let screen = Self.screen(secret)
    for round in 0..<3000 {
      let text = secret.utf8.map { Self.spelled($0, &random) }.joined()
      #expect(screen.isHeld(by: "a\(text)b"), "\(text)")
      let body = "{\"next\":\"https://h.example/?page=\(round)&t=\(text)&u=1\",\"m\":\"\(text)\"}"
      let clean = String(decoding: screen.clean(Array(body.utf8)), as: UTF8.self)
      #expect(
        clean == "{\"next\":\"https://h.example/?page=\(round)&t=***&u=1\",\"m\":\"***\"}",
        "\(text)")
    }
  }

  @Test("is found however long it is, whole in hexadecimal and in percent escapes")
  func long() {
    let secret = String(repeating: "k3y", count: Secret.bytesMax / 3)
    let digits = Hexadecimal.text(Array(secret.utf8))
    let escapes = secret.utf8.map { "%\(Hexadecimal.text([$0]))" }.joined()
    let clean = Self.screen(secret).clean("a \(secret) b \(digits) c \(escapes)")
    #expect(clean == "a *** b *** c ***")
  }

  @Test("leaves no trace in an address that is shown or stored")
  func address() throws {
    let screen = Self.screen("k3y/with+some=signs")
    for text in ["k3y/with%2Bsome=signs", "k3y%252Fwith+some%3dsigns", "k3y%2fwith some=signs"] {
      let address = try WebAddress("https://h.example/a/\(text)/b?key=\(text)&t=\(text)&page=2")
      #expect(screen.clean(address).description == "https://h.example/a/***/b?t=***&page=2")
    }
    let whole = Self.screen("/k3y/with").clean(try WebAddress("https://h.example/k3y/with"))
    #expect(try whole.resolving("next").description == "https://h.example/next")
  }

  @Test("is not shown with the target of a redirect, however that is printed")
  func redirect() throws {
    let secret = "plainletters123"
    let address = try WebAddress("https://h.example/?key=\(secret)")
    let target = RedirectTarget(address, shown: Self.screen(secret).clean(address))
    var dumped = "\(target) \(String(reflecting: target))"
    dump(target, to: &dumped)
    #expect(dumped.contains("https://h.example/") && !dumped.contains(secret), "\(dumped)")
  }

  @Test("is not seen in data that only comes near", arguments: secrets)
  func near(secret: String) {
    let screen = Self.screen(secret)
    let others = [
      String(secret.dropLast()), "\(secret.dropLast())%", "\(secret.dropLast())%4", "%", "\\u002",
      "&#;", "&#999;", "\\", "%25%25%25%25%25%25", String(secret.reversed()), "",
    ]
    for text in others {
      #expect(screen.clean(Array(text.utf8)) == Array(text.utf8), "\(text)")
    }
  }
}
