import Base
@testable import SandboxKit
import Testing

@Suite("An image of the sandbox")
struct MediaTests {
  @Test(
    "is a whole file of its type, of about the size that was asked for",
    arguments: [
      PictureFormat.png, .jpeg, .gif,
    ])
  func formats(format: PictureFormat) throws {
    for salt in 0..<6 as Range<UInt64> {
      let picture = Picture(salt: salt)
      for target in [0, 3_000, 70_000] {
        let file = format.file(picture, bytes: target)
        let shape = try #require(ImageShape(file))
        #expect(shape.type == format.type)
        #expect(shape.width == picture.side && shape.height == picture.side)
        let least = format.file(picture, bytes: 0).count
        #expect(file.count >= least && file.count <= max(least, target) + 20)
        #expect(file.count > target - 100)
        #expect(ImageShape(Array(file.dropLast(30))) == nil)
      }
    }
  }

  @Test(
    "has the digest, the size and the type that the truth tells", arguments: ["github", "media"])
  func truth(api: String) async throws {
    try await withSandbox(options { $0.mediaTroubleShare = 0.3 }) { sandbox, client in
      let images = try #require(sandbox.truth(api)).media
      for image in images where !image.url.contains("slow") {
        let answer = try await client.get(String(image.url.dropFirst(sandbox.origin.utf8.count)))
        let shape = ImageShape(answer.body)
        switch image.state {
        case .good:
          #expect(answer.status == 200)
          #expect(SHA256.hex(answer.body) == image.sha256)
          #expect(answer.body.count == image.bytes)
          #expect(shape?.type == image.type)
        case .missing: #expect([403, 404].contains(answer.status))
        case .html: #expect(answer.status == 200 && shape == nil && !answer.body.isEmpty)
        case .cut: #expect(answer.status == 200 && shape == nil && !answer.body.isEmpty)
        case .empty: #expect(answer.status == 200 && answer.body.isEmpty)
        }
      }
      let states = Set(images.map(\.state))
      #expect(states == [.good, .missing, .html, .cut, .empty])
    }
  }

  @Test("is told apart from those whose URLs look alike: a store keyed by less mixes them up")
  func alike() async throws {
    try await withSandbox { sandbox, client in
      var bodies: [[UInt8]] = []
      for key in MediaDialect.alike {
        bodies.append(try await client.get("/media/alike/\(key)").body)
      }
      #expect(Set(bodies).count == MediaDialect.alike.count)
      let paths = MediaDialect.alike.map { "alike/\($0)".split(separator: "?")[0] }
      let lastComponents = Set(paths.map { $0.split(separator: "/").last })
      let joined = Set(paths.map { $0.split(separator: "/").joined() })
      #expect(lastComponents.count < paths.count)
      #expect(joined.count < paths.count)
      #expect(Set(paths).count < MediaDialect.alike.count, "one path with two queries")
    }
  }

  @Test("has equal bytes under other URLs: a share of the avatars, and the three of /same")
  func shared() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let avatars = try #require(sandbox.truth("github")).media
      let files = Set(avatars.map(\.sha256))
      #expect(files.count < avatars.count * 95 / 100)
      #expect(files.count > avatars.count * 80 / 100)
      var bodies: Set<[UInt8]> = []
      var tags: Set<String> = []
      for name in ["a", "b", "c"] {
        let answer = try await client.get("/media/same/\(name).png")
        bodies.insert(answer.body)
        tags.insert(answer["ETag"] ?? "")
      }
      #expect(bodies.count == 1)
      #expect(tags.count == 3)
    }
  }

  @Test("is 304 for its tag, and for its date when no tag is sent")
  func conditional() async throws {
    try await withSandbox { _, client in
      let first = try await client.get("/media/same/a.png")
      let tag = try #require(first["ETag"])
      let date = try #require(first["Last-Modified"])
      let changed = try #require(Instant(httpDate: date))
      let earlier = CivilTime(changed - .seconds(1)).httpDate
      for (fields, status) in [
        (["If-None-Match: \(tag)"], 304), (["If-Modified-Since: \(date)"], 304),
        (["If-Modified-Since: \(earlier)"], 200), (["If-None-Match: \"other\""], 200),
        (["If-None-Match: \"other\"", "If-Modified-Since: \(date)"], 200),
      ] {
        let answer = try await client.get("/media/same/a.png", fields)
        #expect(answer.status == status, "\(fields)")
        #expect(answer.body.isEmpty == (status == 304))
      }
    }
  }

  @Test(
    "that is missing answers 404 with an image: a client that looks at the bytes alone keeps it")
  func missing() async throws {
    try await withSandbox { _, client in
      let answer = try await client.get("/media/trouble/missing.png")
      #expect(answer.status == 404)
      #expect(ImageShape(answer.body)?.type == "image/png")
      #expect(try await client.get("/media/u/1").status == 404)
      #expect(try await client.get("/media/nothing").status == 404)
    }
  }

  @Test(
    "may lie about its type: a client that looks at the type alone keeps HTML, or names a JPEG .png"
  )
  func types() async throws {
    try await withSandbox { _, client in
      let html = try await client.get("/media/trouble/html.png")
      #expect(html["Content-Type"] == "image/png")
      #expect(html.text.hasPrefix("<!DOCTYPE html>"))
      let jpeg = try await client.get("/media/trouble/mislabelled.png")
      #expect(jpeg["Content-Type"] == "image/png")
      #expect(ImageShape(jpeg.body)?.type == "image/jpeg")
    }
  }

  @Test("is the same bytes in every process, and other bytes for another seed")
  func seeds() async throws {
    var digests: [[String?]] = []
    for seed: UInt64 in [1, 1, 2] {
      let sandbox = try Sandbox.start(options { $0.seed = seed })
      defer { sandbox.stop() }
      digests.append(try #require(sandbox.truth("media")).media.map(\.sha256))
    }
    #expect(digests[0] == digests[1])
    #expect(zip(digests[0], digests[2]).allSatisfy { $0 == nil || $0 != $1 })
    // Fixed, so that a change of the generator is noticed: stored demos rely on the bytes.
    let file = PictureFormat.png.file(Picture(salt: 1), bytes: 0)
    #expect(file.count > 1000)
  }
}
