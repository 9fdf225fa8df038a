import Testing

import Base

@Suite("A web address")
struct WebAddressTests {
  @Test(
    "keeps what is sent as it was written",
    arguments: [
      ("https://api.example/a?b=c", "https://api.example/a?b=c"),
      ("HTTP://API.Example:80", "http://api.example/"),
      ("https://h:8443/x#part", "https://h:8443/x"),
      ("http://[::1]:8080/x", "http://[::1]:8080/x"),
      ("https://h/a b|c?q=\u{AC00}", "https://h/a%20b%7Cc?q=%EA%B0%80"),
      ("https://h/100%", "https://h/100%25"),
      ("https://h/%41%zz", "https://h/%41%25zz"),
      ("https://h?x=1", "https://h/?x=1"),
    ])
  func reads(text: String, expected: String) throws {
    #expect(try WebAddress(text).description == expected)
  }

  @Test(
    "refuses what is not a plain http or https URL",
    arguments: [
      ("", WebAddress.Problem.empty), ("/path", .notAbsolute),
      ("file:///etc/passwd", .scheme("file")),
      ("https://user:word@h/", .credentials), ("https:///x", .host), ("http://h:0/", .port),
      ("http://h:99999/", .port), ("http://a b/", .character), ("http://h:12x/", .port),
    ])
  func refuses(text: String, problem: WebAddress.Problem) {
    #expect(throws: problem) { try WebAddress(text) }
  }

  @Test(
    "resolves references as RFC 3986 does",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("", "http://a/b/c/d;p?q"), ("..", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../../../g", "http://a/g"), ("https://x/y", "https://x/y"),
    ])
  func resolves(reference: String, expected: String) throws {
    #expect(try WebAddress("http://a/b/c/d;p?q").resolving(reference).description == expected)
  }

  @Test("loses a credential in its query whatever the server made of it")
  func removesCredential() throws {
    let address = try WebAddress("https://h/x?a=1&api_key=s&b=2&api%5Fkey=t")
    #expect(
      address.removing(.query(name: "api_key")).description == "https://h/x?a=1&b=2")
  }

  @Test("a secret never prints")
  func secretIsSilent() {
    let secret = Secret("canary-7731")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("canary"))
  }

  @Test("encodes any value so that it reads back byte for byte")
  func encodes() {
    for value in ["a b", "한국", "&=+#/?", "%", ".."] {
      #expect(PercentEncoding.decoded(PercentEncoding.encoded(value)) == Array(value.utf8))
    }
    #expect(PercentEncoding.encodedSegment("..") == "%2E%2E")
  }
}
