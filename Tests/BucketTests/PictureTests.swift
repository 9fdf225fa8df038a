import Testing

@testable import Bucket

@Suite("Pictures of a folder in a bucket")
struct PictureTests {
  @Test(
    "are listed by their own names, whatever the folder is called",
    arguments: ["", "trawl/things", "größe", "日本/写真"])
  func names(folder: String) throws {
    let bucket = Workers(folder).folder
    try bucket.keep(picture: "media/ab/abcd.png", [1], type: "image/png")
    #expect(try bucket.pictures(in: "media/ab") == ["media/ab/abcd.png"])
  }
}
