import Base
@testable import Crawl
import Testing

@Suite("Pictures that do not come")
struct PictureTroubleTests {
  @Test(
    "are a trouble where their server fails, or many are gone, and not where a few are gone",
    arguments: [
      (["status 404": 1], false), (["status 410": 20], false), (["status 404": 21], true),
      (["status 500": 1], true), (["status 404": 3, "its host does not answer": 1], true),
    ] as [([String: Int], Bool)])
  func few(refused: [String: Int], isTrouble: Bool) throws {
    let job = try Job.file(
      #"a: { get: "/a", records: ".", key: ["id"], columns: ["id"] }"#, name: "box")
    var images = ImageTally()
    images.wanted = 30
    images.refused = refused
    #expect(RunEnding().troubles(of: job, images, isOfAll: true)[.pictures] == isTrouble)
    images.fromNetwork = 1
    #expect(RunEnding().troubles(of: job, images, isOfAll: true)[.pictures] == false)
  }
}
