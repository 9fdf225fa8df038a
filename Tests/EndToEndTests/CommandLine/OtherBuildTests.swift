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
            conditional: false,
            pages: { by: "link", size: "?per_page=30" },
            columns: { id: "id as integer", login: "login" },
          },
        },
      }
      """, to: "\(home.settings)/trawl/jobs/people.json5")
    let other = "\(home.scratch.path)/trawl"
    try copy(of: "\(BinaryRun.products)/trawl", to: other)

    /// What tells the answers of the last walk.
    func prints(of program: String) async throws -> [[String]] {
      let ended = await home.run(program: program, home.arguments("people", sandbox))
      #expect(ended.status == 0, "\(ended.errors)")
      let rows = try Tables(home).rows(
        "SELECT ordinal, answer_print FROM trawl_pages WHERE purpose = 'page' ORDER BY ordinal")
      return rows.map { $0.map { "\($0)" } }
    }
    let first = try await prints(of: "trawl")
    #expect(first.count > 1)
    #expect(try await prints(of: "trawl") == first)
    let second = try await prints(of: other)
    #expect(second.count == first.count)
    for (one, another) in zip(first, second) { #expect(one != another) }
    #expect(try await prints(of: other) == second)
  }
}
