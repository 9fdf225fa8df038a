import SandboxKit
import TestSupport
import Testing

@Suite("A job with another name", .prompt)
struct RenamedRunTests {
  private let home = Home()

  private func file(_ name: String, was: String? = nil) -> String {
    let head = was.map { "was: \"\($0)\", " } ?? ""
    return home.write(
      JobText.unlimited(pageSize: 10, [("about: \"Profiles", "\(head)about: \"Profiles")]),
      to: "\(name).json5")
  }

  @Test("is refused where it was renamed twice, and has only run under the first name")
  func twice() async throws {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments(file("people"), sandbox), ends: 0)
    home.makeFolder("\(home.settings)/trawl/jobs")
    await home.shell("mv '\(file("folk", was: "people"))' '\(home.settings)/trawl/jobs'")
    await home.run(
      home.arguments(file("crowd", was: "folk"), sandbox), ends: 78,
      saying: "write was: \"people\" in the file of crowd")
    await home.run(home.arguments(file("crowd", was: "people"), sandbox), ends: 0)
    #expect(try home.tables.texts("SELECT job FROM trawl_jobs") == ["crowd"])
  }

  @Test("is refused beside the old one, in one command and in one folder")
  func both() async throws {
    let sandbox = try Sandbox.small()
    let (old, new) = (file("people"), file("folk", was: "people"))
    await home.trawl(
      "run", old, new, ends: 78, saying: "the job folk says that it was called people")
    await home.run(home.arguments(old, sandbox), ends: 0)
    await home.run(home.arguments(file("folk"), sandbox), ends: 0)
    await home.run(
      home.arguments(file("folk", was: "people"), sandbox), ends: 78,
      saying: "holds rows of both")
  }
}
