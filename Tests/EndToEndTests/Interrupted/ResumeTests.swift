import SandboxKit
import TestSupport
import Testing

@Suite("A run that goes on where another stopped", .prompt)
struct ResumeTests {
  @Test(
    "while the list moved in between, misses no key without saying so", arguments: [3, 5, 8],
    [(insert: 3, delete: 0), (insert: 0, delete: 3), (insert: 12, delete: 12)])
  func movesInBetween(requests: Int, change: (insert: Int, delete: Int)) async throws {
    let sandbox = try Sandbox.small(followers: 60, users: 150)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    await home.run(home.arguments(job, sandbox, ["--max-requests", "\(requests)"]), ends: 75)
    sandbox.drift(
      "github", insert: change.insert, delete: change.delete, list: "followers/octocat")

    let second = await home.run(home.arguments(job, sandbox))
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
    let stored = try Set(
      Tables(home).texts(
        "SELECT follower_id FROM github_follows WHERE user_id = 583231 AND vanished_at IS NULL"))
    let verdict = try Tables(home).verdicts()["followers of octocat"] ?? ""
    if verdict == "complete" {
      #expect(stored == Set(truth), "\(second.errors)")
      #expect(second.status == 0, "\(second.errors)")
    } else if verdict == "unproven" {
      #expect(second.status == 0, "\(second.errors)")
    } else {
      #expect(verdict == "incomplete")
      #expect(second.status == 3, "\(second.errors)")
    }

    // Nothing moves any more: on the second night at the latest it is proven, and right, those who
    // left included.
    for _ in 1...2 {
      await home.run(home.arguments(job, sandbox), ends: 0)
    }
    #expect(try Tables(home).verdicts()["followers of octocat"] == "complete")
    let present = try Tables(home).texts(
      "SELECT follower_id FROM github_follows WHERE user_id = 583231 AND vanished_at IS NULL")
    #expect(Set(present) == Set(truth))
    #expect(present.count == truth.count)
  }

  /// With 9 requests the first list is whole: the next run walks it anew, and hears that nothing
  /// of it has changed; of a last page that a 304 does not name it asks for the whole answer.
  @Test("asks no page twice, wherever it stopped", arguments: 1...9)
  func asksNothingTwice(requests: Int) async throws {
    let sandbox = try Sandbox.small(followers: 57, users: 150)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    await home.run(home.arguments(job, sandbox, ["--max-requests", "\(requests)"]), ends: 75)
    await home.run(home.arguments(job, sandbox), ends: 0)
    let twice = Asked.repeated(Asked(sandbox).api, walks: requests < 9 ? 1 : 3)
    #expect(twice.isEmpty, "\(twice)")
    #expect(Asked.repeated(Asked(sandbox).images).isEmpty)
    try TruthTests.expectTruth(of: sandbox, in: home)
  }
}

@Suite("Images that cannot be stored", .prompt)
struct ImageTroubleTests {
  @Test("are named with a reason and not asked again at once; the others are all there")
  func trouble() async throws {
    var options = SandboxOptions(size: .small)
    options.mediaTroubleShare = 0.3
    let sandbox = try Sandbox.start(options)
    defer { sandbox.stop() }
    let home = Home()
    await home.run(home.arguments("github", sandbox), ends: 0)
    let tables = Tables(home)
    let truth = try #require(sandbox.truth("github"))
    var states: [Truth.Image.State: Int] = [:]
    for row in try tables.rows(
      "SELECT url, coalesce(digest, ''), coalesce(reason, '') FROM trawl_media_urls")
    {
      // Fetched with a size of its own behind the address that the record has.
      let url = row[0].shown
      let image = try #require(
        truth.media.first { url.hasPrefix($0.url) || $0.url.hasPrefix(url) }, "\(url)")
      states[image.state, default: 0] += 1
      if image.state == .good {
        #expect(row[1].shown == image.sha256, "\(url): \(row[2].shown)")
      } else {
        #expect(row[1].shown.isEmpty && !row[2].shown.isEmpty, "\(url) is \(image.state)")
      }
    }
    #expect(states.count == 5, "\(states)")
    try await KillTests.expectSoundFolder(home, afterKill: false)
    let mark = sandbox.lastRequest
    #expect(await home.run(home.arguments("github", sandbox)).status == 0)
    #expect(Asked(sandbox, since: mark).images.isEmpty)
  }
}
