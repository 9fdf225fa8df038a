import Base
import TestSupport
import Testing

@testable import Transport

@Suite("A store of objects over HTTP", .prompt)
struct S3StoreTests {
  private func store(
    _ server: BucketServer, key: String = BucketServer.key, secret: String = BucketServer.secret,
    session: String? = nil, bucket: String? = nil, endpoint: String? = nil
  ) throws -> S3Store {
    try S3Store(
      try S3Address(
        bucket: bucket ?? server.bucket, endpoint: endpoint ?? server.endpoint, region: "us-east-1"),
      S3Key(id: key, secret: Secret(secret), session: session.map { Secret($0) }),
      keyPlace: "of the test", issuers: TrustedIssuers(), patience: .seconds(5))
  }

  @Test("keeps, gives, lists and removes objects, whatever their names are")
  func roundTrip() throws {
    let server = BucketServer()
    let store = try store(server)
    let names = ["a/b", "a/with space", "a/plus+and%25", "a/ünïcode", "a/(odd)=&", "b", "a/z"]
    for (index, name) in names.enumerated() {
      let bytes = [UInt8](repeating: UInt8(index), count: index * 100_000)
      try store.put(name, bytes)
      #expect(try store.get(name)?.bytes == bytes)
    }
    #expect(try store.get("not there") == nil)
    #expect(Set(try store.list("a/").map(\.key)) == Set(names.filter { $0.hasPrefix("a/") }))
    let one = try #require(try store.list("b").first)
    #expect(one.tag == (try store.get("b")?.tag))
    try store.delete("a/z")
    try store.delete("a/z")
    #expect(try store.get("a/z") == nil)
  }

  @Test(
    "gives back an object whose text is that of an error", arguments: ["SlowDown", "BadDigest"])
  func errorText(code: String) throws {
    let bytes = Array("<Error><Code>\(code)</Code></Error>".utf8)
    let store = try store(BucketServer())
    try store.put("x", bytes)
    #expect(try store.get("x")?.bytes == bytes)
  }

  @Test(
    "takes no other text for an empty list",
    arguments: ["", "<html></html>", "<Error><Code>SlowDown</Code></Error>"])
  func noList(text: String) throws {
    let server = ScriptedServer { _ in ScriptedServer.answer(body: Array(text.utf8)) }
    defer { server.stop() }
    let store = try store(BucketServer(), endpoint: server.origin)
    #expect(throws: StoreFailure.self) { try store.list("") }
  }

  @Test(
    "never lists a part of its objects as all of them, nor one part for ever",
    arguments: [
      ("<IsTruncated>true</IsTruncated>", nil),
      ("<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>", nil),
      ("<NextContinuationToken>same</NextContinuationToken>", nil),
      ("<IsTruncated>false</IsTruncated><NextContinuationToken></NextContinuationToken>", 1),
      ("", 1),
    ] as [(String, Int?)])
  func listEnds(end: String, count: Int?) throws {
    let text =
      "<ListBucketResult><Contents><Key>a</Key><ETag>t</ETag></Contents>\(end)</ListBucketResult>"
    let server = ScriptedServer { _ in ScriptedServer.answer(body: Array(text.utf8)) }
    defer { server.stop() }
    let store = try store(BucketServer(), endpoint: server.origin)
    if let count {
      #expect(try store.list("").count == count)
    } else {
      #expect(throws: StoreFailure.self) { try store.list("") }
    }
  }

  @Test("holds to conditions, and tells when it answered")
  func conditions() throws {
    let server = BucketServer()
    let store = try store(server)
    let new = try store.put("x", [1], if: .absent)
    let first = try #require(new.tag)
    #expect(new != .stored(tag: first, date: nil))
    #expect(try store.put("x", [2], if: .absent) == .refused)
    #expect(try store.put("x", [3], if: .tag(first)).tag != nil)
    #expect(try store.put("x", [4], if: .tag(first)) == .refused)
    #expect(try store.put("y", [4], if: .tag(first)) == .refused)
    #expect(try store.get("x")?.bytes == [3])
  }

  @Test("asks again where that may help, and not where it cannot")
  func retries() throws {
    let left = Locked(2)
    let server = BucketServer { name in
      guard name == "PUT slow" || name == "GET cut" else { return nil }
      return left.withLock { left in
        left -= 1
        return left < 0 ? nil : name == "GET cut" ? .cut : .status(503)
      }
    }
    let store = try store(server)
    try store.put("slow", [1])
    left.withLock { $0 = 1 }
    #expect(try store.get("cut") == nil)
    left.withLock { $0 = 99 }
    #expect(throws: StoreFailure.self) { try store.put("slow", [1]) }
    #expect(left.withLock { $0 } == 95)
  }

  @Test(
    "that refuses an object has not stored it: only a condition that does not hold is no failure",
    arguments: [
      (409, "OperationAborted", .unreachable), (409, "ConditionalRequestConflict", .unreachable),
      (503, "SlowDown", .unreachable), (412, "PreconditionFailed", .configuration),
      (400, "InvalidRequest", .configuration), (403, "AccessDenied", .secret),
      (400, "ExpiredToken", .secret), (400, "InvalidToken", .secret),
      (400, "TokenRefreshRequired", .secret), (403, "RequestExpired", .secret),
      (507, "InsufficientStorage", .full), (400, "XMinioStorageFull", .full),
      (403, "QuotaExceeded", .full),
    ] as [(Int, String, StoreFailure.Kind)])
  func refusals(status: Int, code: String, kind: StoreFailure.Kind) throws {
    let server = BucketServer { _ in .status(status, code) }
    let store = try store(server)
    func kindOf(_ body: () throws -> Void) -> StoreFailure.Kind? {
      do { try body() } catch { return (error as? StoreFailure)?.kind }
      return nil
    }
    #expect(kindOf { try store.put("x", [1]) } == kind)
    #expect(kindOf { _ = try store.get("x") } == kind)
    #expect(kindOf { try store.delete("x") } == kind)
    #expect(kindOf { _ = try store.list("x") } == kind)
    for condition in [PutCondition.absent, .tag("t")] {
      if status == 412 {
        #expect(try store.put("x", [1], if: condition) == .refused)
      } else {
        #expect(kindOf { _ = try store.put("x", [1], if: condition) } == kind)
      }
    }
    #expect(server.keys("") == [])
  }

  @Test("is asked again where another request changed the same object, with or without a condition")
  func conflicts() throws {
    let left = Locked(0)
    let server = BucketServer { _ in
      left.withLock { left in
        left -= 1
        return left < 0 ? nil : .status(409, "OperationAborted")
      }
    }
    let store = try store(server)
    left.withLock { $0 = 2 }
    try store.put("x", [1])
    left.withLock { $0 = 2 }
    #expect(try store.put("y", [1], if: .absent).tag != nil)
    left.withLock { $0 = 1 }
    #expect(try store.put("y", [2], if: .absent) == .refused)
  }

  @Test("that tells the time otherwise is signed for by its own clock")
  func skewedClock() throws {
    let server = BucketServer(clockOff: .seconds(7200))
    let store = try store(server)
    try store.put("x", [1])
    #expect(try store.get("x")?.bytes == [1])
  }

  @Test("is told to be wrong in one sentence, which holds no secret")
  func sentences() throws {
    let server = BucketServer()
    let moved = BucketServer { _ in .status(301, "PermanentRedirect") }
    let secret = "another-secret-of-somebody"
    let cases: [(StoreFailure.Kind, String, () throws -> S3Store)] = [
      (.secret, "AWS_SECRET_ACCESS_KEY", { try self.store(server, secret: secret) }),
      (.secret, "InvalidAccessKeyId", { try self.store(server, key: "OTHER", secret: secret) }),
      (
        .configuration, "no bucket nothere",
        { try self.store(server, secret: secret, bucket: "nothere") }
      ),
      (.configuration, "leads elsewhere (301 PermanentRedirect): set", { try self.store(moved) }),
      (.configuration, "https://s3.example", { try self.store(server, endpoint: "s3.example") }),
    ]
    for (kind, words, make) in cases {
      do {
        _ = try make().get("x")
        Issue.record("nothing was wrong: \(words)")
      } catch let failure as StoreFailure {
        #expect(failure.kind == kind && "\(failure)".contains(words), "\(failure)")
        #expect(!"\(failure)".contains(secret) && !"\(failure)".contains(BucketServer.secret))
      }
    }
    let dead = DeadPort()
    do {
      _ = try store(server, endpoint: dead.origin).get("x")
      Issue.record("somebody answered")
    } catch let failure as StoreFailure {
      #expect(failure.kind == .unreachable)
    }
  }

  @Test("gets the token of a key that lasts some hours, signed with the rest")
  func sessionToken() throws {
    let token = "token/of+hours=="
    // This one refuses a field of its own that is not signed; the other one shows what was sent.
    #expect(try store(BucketServer(), session: token).get("x") == nil)
    let plain = ScriptedServer { _ in ScriptedServer.answer(body: [1]) }
    defer { plain.stop() }
    let got = try store(BucketServer(), session: token, endpoint: plain.origin).get("x")
    #expect(got?.bytes == [1])
    #expect(plain.calls.map { $0.field("x-amz-security-token") } == [token])
  }

  @Test(
    "is asked with the bucket in the path, or in the host's name where the endpoint has it there",
    arguments: [
      ("acme", nil, "https://acme.s3.eu-west-1.amazonaws.com/a%20b"),
      ("acme.team", nil, "https://s3.eu-west-1.amazonaws.com/acme.team/a%20b"),
      ("acme", "http://127.0.0.1:9000", "http://127.0.0.1:9000/acme/a%20b"),
      ("acme", "https://s3.example/", "https://s3.example/acme/a%20b"),
      ("acme", "https://acme.s3.example", "https://acme.s3.example/a%20b"),
      ("acme", "https://s3.example/behind", "https://s3.example/behind/acme/a%20b"),
    ] as [(String, String?, String)])
  func addresses(bucket: String, endpoint: String?, url: String) throws {
    let address = try S3Address(bucket: bucket, endpoint: endpoint, region: "eu-west-1")
    #expect(address.url(address.path("a b"), "") == url)
  }

  /// The example of "Authenticating Requests: Using the Authorization Header" in S3's documentation.
  @Test("is asked with the signature that its documentation shows")
  func documentedSignature() throws {
    let empty = Hexadecimal.text(SHA256.of([]))
    let signature = S3Signature(
      method: "GET", path: "/test.txt", query: "",
      fields: [
        ("host", "examplebucket.s3.amazonaws.com"), ("range", "bytes=0-9"),
        ("x-amz-content-sha256", empty), ("x-amz-date", "20130524T000000Z"),
      ], payload: empty, date: try #require(Instant(rfc3339: "2013-05-24T00:00:00Z")))
    let text = signature.authorization(
      S3Key(
        id: "AKIAIOSFODNN7EXAMPLE", secret: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")),
      region: "us-east-1")
    #expect(
      text.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
  }
}

extension PutOutcome {
  fileprivate var tag: String? { if case .stored(let tag, _) = self { tag } else { nil } }
}

extension ObjectStore {
  @discardableResult
  fileprivate func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition? = nil
  ) throws(StoreFailure) -> PutOutcome {
    try put(key, bytes, if: condition, type: "application/octet-stream")
  }
}
