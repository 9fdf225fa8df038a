import Glibc
import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("The folder of keys")
struct KeyFolderTests {
  private let scratch = ScratchFolder()

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
    guard case .found(let credential, _) = source.find(for: try SecretTests.github()) else {
      Issue.record("it was not found")
      return
    }
    #expect(credential.secret.reveal() == "token-1")
    #expect(credential.place == .header(name: "Authorization", prefix: "Bearer "))
    #expect(credential.origins == [origin])
  }

  @Test("puts a new key in place of an old one, and leaves nothing else behind")
  func replaces() throws {
    let folder = KeyFolder(path: scratch.path)
    #expect(chmod(scratch.path, 0o755) == 0)
    let origin = try WebAddress("https://h").origin
    _ = try folder.keep("old", named: "k", for: KeyBond(origin))
    let path = try folder.keep("new", named: "k", for: KeyBond(origin))
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
    let origin = try WebAddress("https://h").origin
    #expect(throws: SecretKeepingProblem.self) {
      try KeyFolder(path: scratch.path).keep(text, named: "k", for: KeyBond(origin))
    }
    #expect(throws: SecretKeepingProblem.self) {
      try KeyFolder(path: scratch.path).keep("sound", named: ".hidden", for: KeyBond(origin))
    }
  }

  @Test("says which folder cannot be made")
  func saysWhere() throws {
    Golden.write("", to: "\(scratch.path)/file")
    let origin = try WebAddress("https://h").origin
    do {
      _ = try KeyFolder(path: "\(scratch.path)/file/keys").keep(
        "k", named: "k", for: KeyBond(origin))
      Issue.record("it was kept")
    } catch {
      #expect(error.description == "cannot make \(scratch.path)/file/keys: Not a directory")
    }
  }
}
