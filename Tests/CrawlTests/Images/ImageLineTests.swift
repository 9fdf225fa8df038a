import Base
@testable import Crawl
import Media
@testable import Store
import TestSupport
import Testing

/// How many images are stored together.
@Suite struct ImageLineTests {
  private var line = ImageLine(unsettledMax: 512)
  private var number = 0
  private let scratch = ScratchFolder()
  private let content: ContentStore

  init() throws { content = try ContentStore(dataFolder: scratch.path, for: .writing) }

  /// Images arrive with their server's answers while more wait.
  private mutating func bring(_ count: Int) {
    for _ in 0..<count {
      number += 1
      let due = ImageDue(identity: "\(number)", url: "https://pictures.example/a", title: "")
      line.refill([due, ImageDue(identity: "next", url: due.url, title: "")], asked: 2)
      guard let asked = line.start(atOnce: 8) else { continue }
      line.take(asked, .outcome(.unchanged(identity: asked.identity)))
    }
  }

  /// Images arrive until a group is ready to be stored.
  private mutating func beginGroup() {
    for _ in 0...ImageLine.groupMax {
      if line.group() != nil { return }
      bring(1)
    }
    Issue.record("no group although \(ImageLine.groupMax) images came")
  }

  @Test("few are not written while more wait")
  mutating func few() {
    bring(ImageLine.groupMin - 1)
    #expect(line.group() == nil)
    bring(1)
    #expect(line.group()?.outcomes.count == ImageLine.groupMin)
  }

  @Test("what is there is written when nothing more comes, however little")
  mutating func last() {
    beginGroup()
    bring(100)
    line.written(ImageLine.Group())
    line.dropWaiting()
    #expect(line.group()?.outcomes.count == 100)
  }

  /// A whole image arrives while more wait.
  /// - Parameter isAsked: false: none may be requested.
  private mutating func fetch(_ bytes: [UInt8], isAsked: Bool = true) throws {
    number += 1
    let address = try WebAddress("https://pictures.example/1")
    let due = ImageDue(identity: "\(number)", url: address.description, title: "")
    line.dropWaiting()
    line.refill([due, ImageDue(identity: "behind \(number)", url: due.url, title: "")], asked: 2)
    let started = line.start(atOnce: 8)
    #expect((started != nil) == isAsked)
    guard let asked = started else { return }
    let download = content.download()
    _ = bytes.withUnsafeBytes { download.receive($0) }
    let answer = Answer(
      status: 200, fields: HeaderFields(), body: [], address: address,
      sentAt: Instant(milliseconds: 0), receivedAt: Instant(milliseconds: 0))
    line.take(asked, .stored(try download.finish(), answer))
  }

  @Test("nothing is asked for while too many bytes wait to be written")
  mutating func held() throws {
    let image = Picture.gif(1, padding: 200_000)
    let most = (ImageLine.unsettledBytesMax + image.count - 1) / image.count
    var group: ImageLine.Group?
    for _ in 0..<most {
      try fetch(image)
      if group == nil { group = line.group() }
    }
    try fetch(image, isAsked: false)
    line.written(try #require(group))
    try fetch(image)
  }

  @Test(
    "however small they are, no more wait to be written than two groups, and none is larger than one"
  )
  mutating func small() throws {
    let image = Picture.gif(1)
    var first: ImageLine.Group?
    for _ in 0..<ImageLine.unsettledImagesMax {
      try fetch(image)
      if first == nil { first = line.group() }
    }
    try fetch(image, isAsked: false)
    line.written(try #require(first))
    let next = line.group()
    #expect(next?.finished.count == ImageLine.groupMax)
    line.written(try #require(next))
    line.dropWaiting()
    let rest = line.group()
    let written = [first, next, rest].reduce(0) { $0 + ($1?.finished.count ?? 0) }
    #expect(written == ImageLine.unsettledImagesMax)
  }

  @Test("a group is no larger than the files that may be open")
  mutating func full() throws {
    line = ImageLine(unsettledMax: 32)
    beginGroup()
    bring(31)
    line.written(ImageLine.Group())
    #expect(line.groupDue > 32)
    #expect(line.group() == nil)
    let image = Picture.gif(1, padding: 300_000)
    for _ in 0..<32 { try fetch(image) }
    #expect(line.start(atOnce: 8) == nil)
    let group = line.group()
    line.written(try #require(group))
    // There is room for as many files as were written.
    try fetch(image)
  }
}
