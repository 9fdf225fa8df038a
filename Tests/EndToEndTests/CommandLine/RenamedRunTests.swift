import SandboxKit
import TestSupport
import Testing

@Suite("A job with another name", .prompt)
struct RenamedRunTests {
  private let home = Home()

  private func file(_ home: Home, _ name: String, was: String? = nil) -> String {
    let head = was.map { "was: \"\($0)\", " } ?? ""
    return home.write(
      JobText.unlimited(pageSize: 10, [("about: \"Profiles", "\(head)about: \"Profiles")]),
      to: "\(name).json5")
  }

  @Test("goes on where the old one stopped: nobody is new, nothing waits, and its reports follow")
  func renamed() async throws {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments(file(home, "people"), sandbox), ends: 0)
    let before = try Tables(home).texts("SELECT id || first_seen_at FROM people_users ORDER BY 1")
    let pictures = Asked(sandbox).images.count
    await home.run(home.arguments(file(home, "folk", was: "people"), sandbox), ends: 0)
    #expect(
      try Tables(home).texts("SELECT id || first_seen_at FROM folk_users ORDER BY 1") == before)
    #expect(Asked(sandbox).images.count == pictures)
    let status = await home.run(["status", "--data", home.data, "--max-age", "1h"])
    #expect(status.status == 0 && !status.everything.holds("people  http"), "\(status.everything)")
    let reports = await home.shell(
      "ls \"$D/reports\"; ls \"$D/reports/folk\" | wc -l; "
        + "grep -c 'people is called folk now' \"$D\"/reports/folk/*.json")
    #expect(!reports.output.holds("people\n") && reports.output.holds("4\n"), "\(reports.output)")
    #expect(reports.output.holds(":1\n"), "\(reports.output)")
    #expect(await home.run(["prove", "--data", home.data]).status == 0)
  }

  @Test("is refused where it was renamed twice, and has only run under the first name")
  func twice() async throws {
    let sandbox = try Sandbox.small()
    #expect(await home.run(home.arguments(file(home, "people"), sandbox)).status == 0)
    home.makeFolder("\(home.settings)/trawl/jobs")
    _ = await home.shell("mv '\(file(home, "folk", was: "people"))' '\(home.settings)/trawl/jobs'")
    let third = await home.run(home.arguments(file(home, "crowd", was: "folk"), sandbox), ends: 78)
    #expect(third.errors.holds("write was: \"people\" in the file of crowd"), "\(third.errors)")
    await home.run(home.arguments(file(home, "crowd", was: "people"), sandbox), ends: 0)
    #expect(try Tables(home).texts("SELECT job FROM trawl_jobs") == ["crowd"])
  }

  @Test("is refused beside the old one, in one command and in one folder")
  func both() async throws {
    let sandbox = try Sandbox.small()
    let (old, new) = (file(home, "people"), file(home, "folk", was: "people"))
    let together = await home.run(["run", old, new, "--data", home.data], ends: 78)
    #expect(together.errors.holds("the job folk says that it was called people"))
    #expect(await home.run(home.arguments(old, sandbox)).status == 0)
    #expect(await home.run(home.arguments(file(home, "folk"), sandbox)).status == 0)
    let both = await home.run(home.arguments(file(home, "folk", was: "people"), sandbox))
    #expect(both.status == 78 && both.errors.holds("holds rows of both"), "\(both.errors)")
  }
}
