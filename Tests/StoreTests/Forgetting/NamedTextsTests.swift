import Store
import Testing

@Suite("What names a record in other texts")
struct NamedTextsTests {
  private static let picture = "https://img.example.com/u/4711?size=80&v=2"

  @Test(
    "is its address, however it is written",
    arguments: [
      picture, #"{"url":"https:\/\/img.example.com\/u\/4711?size=80\u0026v=2"}"#,
      "<img src=\"https://img.example.com/u/4711?size=80&amp;v=2\">",
      "next=https%3A%2F%2Fimg.example.com%2Fu%2F4711%3Fsize%3D80%26v%3D2",
    ])
  func address(text: String) {
    #expect(NamedTexts([Self.picture]).areNamed(in: Array(text.utf8)))
  }

  @Test(
    "is no other address of the same host, and not the host itself",
    arguments: [
      "https://img.example.com", "https://img.example.com/u/4712?size=80&v=2",
      "https://img.example.com/ and, much further on, /u/4711?size=80&v=2", "",
    ])
  func other(text: String) {
    #expect(!NamedTexts([Self.picture]).areNamed(in: Array(text.utf8)))
  }

  @Test(
    "is a word of four letters or a number of six digits as a whole, nothing shorter, no plain word"
  )
  func words() {
    let texts = NamedTexts(["octo-cat", "583231", "12", "abc"])
    #expect(texts.areNamed(in: Array("by octo-cat, today".utf8)))
    #expect(texts.areNamed(in: Array("id=583231".utf8)))
    #expect(!texts.areNamed(in: Array("octo-cats and 5832310, 12 abc".utf8)))
    #expect(NamedTexts(["12", "abc", "a b"]).isEmpty)
    #expect(!NamedTexts(["complete"]).areNamed(in: Array("the list is complete".utf8)))
  }

  private static let texts = NamedTexts([
    "klara", "http", "rec-0001", "bob@x.io", "owner/repo", "1234567",
  ])

  @Test(
    "is held by a value as a whole, a path segment, or the value of a parameter",
    arguments: [
      "klara", "https://api.example.org/users/klara/posts", "/users/klara.json?page=2",
      "https://api.example.org/list?after=bob%40x.io&limit=2", "user=klara&lang=en",
      "https://api.example.org/details?ids=k1,rec-0001,k3", #"["run","--set user=klara"]"#,
      #"{"id": 1234567, "v": "x"}"#, "2 records came with the key of another one (http): the key",
      "/repos/owner%2Frepo/issues", "/items('klara')",
    ])
  func held(text: String) {
    #expect(Self.texts.areHeld(by: text))
  }

  @Test(
    "is not held by a host, a scheme, or a longer word",
    arguments: [
      "https://klara.example.org/list?page=2", "http://api.example.org/", "rec-00012",
      "/users/klarabella", "https://api.example.org/list?klara=1", "a list of http and klara",
    ])
  func notHeld(text: String) {
    #expect(!Self.texts.areHeld(by: text))
  }
}
