import TestSupport
@testable import Walk
import Testing

@Suite("A Link field")
struct LinkFieldTests {
  static let table: [(values: [String], next: String?)] = [
    (
      [
        "<https://h/user/26/followers?page=2>; rel=\"next\", "
          + "<https://h/user/26/followers?page=14>; rel=\"last\""
      ], "https://h/user/26/followers?page=2"
    ),
    (["<https://h/x>; rel=\"deprecation\"; type=\"text/html\""], nil),
    (
      ["<https://h/users?since=46>; rel=\"next\", <https://h/users{?since}>; rel=\"first\""],
      "https://h/users?since=46"
    ),
    (
      ["<https://h/users{?since}>; rel=\"first\", <https://h/users?since=46>; rel=\"next\""],
      "https://h/users?since=46"
    ),
    (["<https://h/a,b;c?x=1,2>; rel=\"next\""], "https://h/a,b;c?x=1,2"),
    (["<https://h/1>; title=\"one, two; rel=\\\"next\\\"\"; rel=last, </2>; rel=next"], "/2"),
    (["<https://h/3>; rel=\"last next\""], "https://h/3"),
    (["<https://h/3>;rel=NEXT"], "https://h/3"),
    (["<https://h/3>; rel='last next', <https://h/4>; rel='prev'"], "https://h/3"),
    (["<https://h/3> ; REL = \"Next\""], "https://h/3"),
    (["<https://h/3>; rel=\"prev\"; rel=\"next\""], nil),
    (
      ["<https://h/3>; rel=\"next\"; anchor=\"#other\", <https://h/4>; rel=\"next\""], "https://h/4"
    ),
    (["<https://h/1>; rel=\"prev\"", "<https://h/2>; rel=\"next\""], "https://h/2"),
    (["<https://h/1>; rel=\"nextish\", <https://h/2>; rel=\"x-next\""], nil),
    (["<?page=2>; rel=next"], "?page=2"),
    ([], nil), ([""], nil), (["<"], nil), (["<>; rel=next"], ""), (["garbage; rel=next"], nil),
    (["<https://h/1"], nil), (["<https://h/1>; rel=\"next"], "https://h/1"),
    (["<https://h/1>;;;, ,,<https://h/2>; ; rel=next;"], "https://h/2"),
  ]

  @Test("gives the next address and stumbles over nothing else", arguments: table)
  func next(values: [String], next: String?) {
    #expect(LinkField.target("next", in: values) == next)
  }

  @Test(
    "cannot be read where a quote does not close, or only a strange relation speaks of a next page",
    arguments: [
      ("<2>; rel=\"https://iana.org/next\", <9>; rel=last", false),
      ("<2>; rel*=UTF-8''next", false),
      ("<2>; rel=next; anchor=\"#a\"", false), ("<2>; rel=\"x-next\", <3>; rel=next", true),
      ("<2>; rel=\"next", false), ("<4>; rel=\"next, <2>; rel=\"prev\"", false),
      ("<4>; rel=\"next, <2>; rel=\"prev\", <1>; rel=\"first\"", false),
      ("<2>; rel=\"prev\"; title=\"a \\\"b\\\"\" ; x=y z, <1>; rel=first", true),
    ])
  func quotes(value: String, isReadable: Bool) {
    #expect(LinkField.isReadable([value]) == isReadable)
  }

  @Test("of any bytes at all never traps and ends")
  func anyBytes() {
    let alphabet = Array("<>;,=\"\\ relnxt{?}\t".utf8)
    var random = SeededRandom(seed: 1)
    for _ in 0..<3000 {
      let bytes = (0..<40).compactMap { _ in alphabet.randomElement(using: &random) }
      _ = LinkField.target("next", in: [String(decoding: bytes, as: UTF8.self)])
    }
  }
}
