import TestSupport
import Testing

@Suite("A secret that a server repeats in its own spelling", .prompt)
struct SecretSpellingTests {
  static let secret = "kA9+zz/Qq==7f3a9c51"

  /// As it may be echoed: encoded in part, in small letters, twice, with a space for the plus.
  static let spellings = [
    "kA9%2Bzz/Qq==7f3a9c51", "kA9+zz%2FQq==7f3a9c51", "kA9%2bzz%2fQq=%3d7f3a9c51",
    "kA9%252Bzz%252FQq%253D%253D7f3a9c51", "kA9%20zz/Qq==7f3a9c51", "%6bA9+zz/Qq==7f3a9c5%31",
    "kA9\\u002Bzz\\/Qq\\u003d=7f3a9c51",
  ]

  @Test(
    "goes to no other origin by a next URL, and lies in no file and no recording",
    arguments: spellings)
  func nextURL(spelling: String) async throws {
    let other = SecretLureTests.stranger()
    defer { other.stop() }
    let own = AnswerServer { call in
      // The name of the parameter is another than that of the key.
      call.target.holds("page=2")
        ? .json(
          SecretLureTests.page(3...4, next: "\(other.origin)/v1/books?page=3&back=\(spelling)"))
        : .json(SecretLureTests.page(1...2, next: "/v1/books?page=2&back=\(spelling)"))
    }
    defer { own.stop() }
    let home = Home()
    let job = SecretLureTests.job(
      base: "\(own.origin)/v1", auth: "to: \"?api_key\"", pages: "by: \"url\", next: \"next\"")
    let ended = await home.run(
      SecretLureTests.arguments(home, job, own.origin), ["SHELF_KEY": Self.secret])
    #expect(own.calls.count >= 2 && other.calls.count == 1, "\(ended.errors)")
    #expect(own.calls[0].target.holds("api_key=kA9%2Bzz%2FQq%3D%3D7f3a9c51"))
    // Its end stands so in every spelling.
    let end = "7f3a9c5"
    #expect(!other.everythingHeard.holds(end), "\(other.everythingHeard)")
    #expect(!ended.errors.holds(end) && !ended.output.holds(end), "\(ended.errors)")
    let found = await home.shell("grep -rl --binary-files=text '\(end)' \"$D\"")
    #expect(found.output == "", "\(found.output)")
    #expect(try Tables(home).texts("SELECT count(*) FROM shelf_books") == ["6"])
  }
}
