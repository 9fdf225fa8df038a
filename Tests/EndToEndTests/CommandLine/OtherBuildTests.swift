import Base
import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("An answer that another build of the program has stored", .prompt)
struct OtherBuildTests {
  /// The same bytes in a file that was written at another time.
  private func copy(of program: String, to path: String) throws {
    let source = open(program, O_RDONLY | O_CLOEXEC)
    let target = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
    try #require(source >= 0 && target >= 0)
    while sendfile(target, source, nil, 1 << 20) > 0 {}
    close(source)
    // Nobody else's descriptor: a program that is open for writing does not start.
    close(target)
    var times = Array(repeating: timespec(tv_sec: 1_700_000_000, tv_nsec: 1), count: 2)
    try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  @Test("is read again, and is taken over by the next run of the same build")
  func again() async throws {
    let home = Home()
    let sandbox = try Sandbox.small()
    defer { sandbox.stop() }
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(
      """
      {
        name: "people", base: "\(sandbox.endpoint(for: "github"))",
        streams: {
          followers: {
            get: "/users/octocat/followers", records: ".", into: "users", key: ["id"],
            pages: { by: "link", size: "?per_page=30" },
            columns: { id: "id as integer", login: "login" },
          },
        },
      }
      """, to: "\(home.settings)/trawl/jobs/people.json5")
    let other = "\(home.scratch.path)/trawl"
    try copy(of: "\(BinaryRun.products)/trawl", to: other)

    /// Of each page whether the server said that it is as it was, and the rows were taken over.
    func unread(by program: String) async throws -> Set<[Int64]> {
      let ended = await home.run(program: program, home.arguments("people", sandbox))
      #expect(ended.status == 0, "\(ended.errors)")
      let rows = try Tables(home).rows(
        "SELECT is_not_modified FROM trawl_pages WHERE purpose = 'page' AND traversal = "
          + "(SELECT max(traversal) FROM trawl_pages)")
      #expect(rows.count > 1)
      return Set(rows.map { $0.compactMap(\.integer) })
    }
    #expect(try await unread(by: "trawl") == [[0]])
    #expect(try await unread(by: "trawl") == [[1]])
    #expect(try await unread(by: other) == [[0]])
    #expect(try await unread(by: other) == [[1]])
  }
}
