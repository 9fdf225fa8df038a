import Glibc
import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("The folder of keys")
struct KeyFolderTests {
  private let scratch = ScratchFolder()
  private static let bond = KeyBond(Origin(scheme: "https", host: "h", port: 443))

  private func mode(_ path: String) -> mode_t {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
  }

  @Test("keeps a key with its origin, for its owner alone, and the job finds it again")
  func keeps() throws {
    let folder = "\(scratch.path)/config/trawl/keys"
    let origin = try WebAddress("https://api.github.com").origin
    let path = try KeyFolder(path: folder).keep(
      "token-1\n", named: "github-token", for: KeyBond(origin))
    #expect(path == "\(folder)/github-token")
    #expect(Golden.read(path) == "token-1\norigin https://api.github.com\n")
    #expect(mode(path) == 0o600)
    #expect(mode(folder) == 0o700)

    let source = SecretSource(credentialsFolder: nil, keyFolder: folder) { _ in nil }
    let credential = try #require(source.find(for: try SecretTests.github()).credential)
    #expect(credential.secret.reveal() == "token-1")
    #expect(credential.place == .header(name: "Authorization", prefix: "Bearer "))
    #expect(credential.origins == [origin])
  }

  @Test("puts a new key in place of an old one, and leaves nothing else behind")
  func replaces() throws {
    let folder = KeyFolder(path: scratch.path)
    #expect(chmod(scratch.path, 0o755) == 0)
    _ = try folder.keep("old", named: "k", for: Self.bond)
    let path = try folder.keep("new", named: "k", for: Self.bond)
    #expect(Golden.read(path) == "new\norigin https://h\n")
    #expect(mode(scratch.path) == 0o700)
    #expect(ScratchFolder.names(in: scratch.path).count == 1, "the key")
  }

  @Test(
    "takes a key that was pasted with blanks at its ends without them, or with the rest of a line end",
    arguments: [" \ta-key  \n", "a-key\r", "a-key\r\n"])
  func pasted(line: String) throws {
    #expect(try KeyFolder.secret(Array(line.utf8)).reveal() == "a-key")
  }

  @Test("refuses what is no key and what is no name", arguments: ["", "a\nb", "\u{1}", " "])
  func refuses(text: String) throws {
    let folder = KeyFolder(path: scratch.path)
    for (text, name) in [(text, "k"), ("sound", ".hidden")] {
      #expect(throws: SecretKeepingProblem.self) {
        try folder.keep(text, named: name, for: Self.bond)
      }
    }
  }

  @Test("says which folder cannot be made")
  func saysWhere() throws {
    Golden.write("", to: "\(scratch.path)/file")
    let problem = #expect(throws: SecretKeepingProblem.self) {
      try KeyFolder(path: "\(scratch.path)/file/keys").keep("k", named: "k", for: Self.bond)
    }
    #expect(problem?.description == "cannot make \(scratch.path)/file/keys: Not a directory")
  }
}
