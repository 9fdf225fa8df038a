internal import CCurl
internal import Glibc
public import Base

/// A bucket of an S3-compatible store over libcurl, one request for each call: signed by hand, no redirects followed,
/// each upload with its SHA-256. Temporary failures are retried a few times.
public final class S3Store: ObjectStore {
  private let address: S3Address
  private let key: S3Key
  private let keyPlace: String
  private let issuers: TrustedIssuers.Loaded
  private let patience: Duration
  private let time: Timekeeper
  private let idle = Locked(Idle())

  private struct Idle {
    var handles: [UInt] = []
    /// How far the store's clock is ahead of ours: it refuses signatures of another time.
    var ahead = Duration.zero
  }

  private static let triesMax = 4
  /// The upload arrived damaged or too slowly: a retry may help.
  private static let passing: Set<String> = [
    "BadDigest", "XAmzContentChecksumMismatch", "XAmzContentSHA256Mismatch", "IncompleteBody",
    "RequestTimeout", "SlowDown",
  ]
  /// A key that lasts some hours.
  private static let expired: Set<String> = [
    "ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired",
    "RequestExpired",
  ]
  private static let full: Set<String> = [
    "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientStorage",
  ]
  private static func isFull(_ answer: S3Call.Answer) -> Bool {
    answer.status == 507 || full.contains(answer.code)
  }
  /// A piece has 16 MB before packing; an image may have more.
  private static let answerBytesMax = MediaSettings.fileBytesMost
  private static let emptyDigest = Hexadecimal.text(SHA256.of([]))

  /// - Parameters:
  ///   - keyPlace: where the key was found, for a message.
  ///   - patience: how long a small request may take.
  public init(
    _ address: S3Address, _ key: S3Key, keyPlace: String, issuers: TrustedIssuers,
    patience: Duration, time: Timekeeper = .live
  ) throws {
    self.address = address
    self.key = key
    self.keyPlace = keyPlace
    self.issuers = try issuers.loaded()
    self.patience = patience
    self.time = time
  }

  deinit {
    for handle in idle.withLock({ $0.handles }) {
      curl_easy_cleanup(UnsafeMutableRawPointer(bitPattern: handle))
    }
  }

  // MARK: the seam

  public func get(_ key: String) throws(StoreFailure) -> StoredObject? {
    let answer = try ask("GET", key)
    if answer.status == 404, answer.code != "NoSuchBucket" { return nil }
    try expect(answer, "read", key)
    return StoredObject(bytes: answer.body, tag: answer.fields["etag"] ?? "", date: answer.date)
  }

  public func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition?, type: String
  ) throws(StoreFailure) -> PutOutcome {
    var fields = [("content-type", type)]
    switch condition {
    case nil: break
    case .absent?: fields.append(("if-none-match", "*"))
    case .tag(let tag)?: fields.append(("if-match", tag))
    }
    let answer = try ask("PUT", key, fields, body: bytes)
    if condition != nil, answer.status == 412 { return .refused }
    // The object to be replaced does not exist.
    if answer.status == 404, case .tag? = condition, answer.code != "NoSuchBucket" {
      return .refused
    }
    try expect(answer, "write", key)
    return .stored(tag: answer.fields["etag"] ?? "", date: answer.date)
  }

  public func delete(_ key: String) throws(StoreFailure) {
    let answer = try ask("DELETE", key)
    if answer.status != 404 { try expect(answer, "remove", key) }
  }

  public func list(_ prefix: String) throws(StoreFailure) -> [ListedObject] {
    var all: [ListedObject] = []
    var next: String?
    repeat {
      var query = next.map { "continuation-token=\(PercentEncoding.encoded($0))&" } ?? ""
      query += "encoding-type=url&list-type=2&prefix=\(PercentEncoding.encoded(prefix))"
      let answer = try ask("GET", "", query: query)
      try expect(answer, "list", prefix)
      let text = XMLText(answer.body)
      let (keys, tags) = (text.values(of: "Key"), text.values(of: "ETag"))
      let token = text.values(of: "NextContinuationToken").first ?? ""
      let isCut = text.values(of: "IsTruncated").first == "true"
      // Neither another text nor a part must pass for the whole list, nor one part be listed for ever.
      guard text.holds("ListBucketResult"), keys.count == tags.count, !isCut || !token.isEmpty,
        token != next
      else {
        throw StoreFailure(.unreachable, "\(shown) listed its objects in a form that is not S3's")
      }
      for (key, tag) in zip(keys, tags) {
        let plain = String(decoding: PercentEncoding.decoded(key, plusIsSpace: true), as: UTF8.self)
        all.append(ListedObject(key: plain, tag: tag))
      }
      next = token.isEmpty ? nil : token
    } while next != nil
    return all
  }

  // MARK: one request

  private var shown: String { "the store \(address.origin)" }

  private func ask(
    _ method: String, _ key: String, _ fields: [(String, String)] = [], query: String = "",
    body: [UInt8]? = nil
  ) throws(StoreFailure) -> S3Call.Answer {
    var wait = Duration.milliseconds(200)
    var trouble = ""
    let began = time.elapsed()
    for tries in 1...Self.triesMax {
      switch once(method, key, fields, query, body) {
      case .success(let answer):
        if answer.code == "RequestTimeTooSkewed", let date = answer.date, tries < Self.triesMax {
          idle.withLock { $0.ahead = date - time.now() }
          continue
        }
        // 409: another request changes the same object. A method that is not implemented stays so.
        guard
          answer.status >= 500 && answer.status != 501 || [409, 429].contains(answer.status)
            || Self.passing.contains(answer.code),
          !Self.isFull(answer)
        else {
          return answer
        }
        trouble = "answered \(answer.status) \(answer.code)".trimmingBlanks
      case .failure(let problem):
        trouble = "cannot be asked: \(problem.words)"
        if problem.isFinal { throw StoreFailure(.configuration, "\(shown) \(trouble)") }
      }
      // The caller has a lease to renew.
      if tries == Self.triesMax || time.elapsed() - began > patience { break }
      usleep(UInt32(wait.milliseconds * 1000))
      wait = wait * 2
    }
    throw StoreFailure(.unreachable, "\(shown) \(trouble)")
  }

  private func once(
    _ method: String, _ key: String, _ more: [(String, String)], _ query: String, _ body: [UInt8]?
  ) -> Result<S3Call.Answer, S3Call.Problem> {
    let date = time.now() + idle.withLock { $0.ahead }
    let digest = body.map { SHA256.of($0) }
    let payload = digest.map { Hexadecimal.text($0) } ?? Self.emptyDigest
    var fields =
      more + [
        ("host", address.origin.authority), ("x-amz-content-sha256", payload),
        ("x-amz-date", CivilTime(date).compact),
      ]
    if let digest { fields.append(("x-amz-checksum-sha256", Base64.encoded(digest))) }
    if let session = self.key.session { fields.append(("x-amz-security-token", session.reveal())) }
    fields.sort { $0.0 < $1.0 }
    let path = address.path(key)
    let signature = S3Signature(
      method: method, path: path, query: query, fields: fields, payload: payload, date: date
    ).authorization(self.key, region: address.region)
    let lines = fields.map { "\($0.0): \($0.1)" } + ["authorization: \(signature)"]
    guard let easy = take() else {
      return .failure(S3Call.Problem(words: "out of memory", code: CURLE_OUT_OF_MEMORY))
    }
    defer { giveBack(easy) }
    // More time for a body than for a head: 100 KB/s is slow.
    let bytes = method == "GET" ? Self.answerBytesMax : body?.count ?? 0
    return S3Call(easy, bytesMax: Self.answerBytesMax).perform(
      method, address.url(path, query), lines, body, issuers, connect: patience,
      total: patience + .milliseconds(bytes / 100))
  }

  private func take() -> UnsafeMutableRawPointer? {
    idle.withLock { $0.handles.popLast() }.map { UnsafeMutableRawPointer(bitPattern: $0) }
      ?? curl_easy_init()
  }

  private func giveBack(_ easy: UnsafeMutableRawPointer) {
    idle.withLock { $0.handles.append(UInt(bitPattern: easy)) }
  }

  private func expect(
    _ answer: S3Call.Answer, _ action: String, _ key: String
  ) throws(StoreFailure) {
    if answer.isSuccess { return }
    let told = "\(answer.status) \(answer.code)".trimmingBlanks
    // Stores send some codes with several statuses.
    if Self.isFull(answer) {
      throw StoreFailure(
        .full,
        "\(shown) has no room to \(action) \(key) (\(told)): make room in the bucket \(address.bucket), or raise its quota"
      )
    }
    if Self.expired.contains(answer.code) {
      throw StoreFailure(
        .secret,
        "\(shown) no longer takes the key \(keyPlace) (\(told)): renew AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
          + "AWS_SESSION_TOKEN, which belong together")
    }
    switch answer.status {
    case 401, 403:
      throw StoreFailure(
        .secret,
        "\(shown) does not let the key \(keyPlace) \(action) in the bucket \(address.bucket) (\(told)): check "
          + "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and what the key may do")
    case 404:
      throw StoreFailure(.configuration, "\(shown) has no bucket \(address.bucket): make it first")
    case 300..<400:
      throw StoreFailure(
        .configuration,
        "\(shown) leads elsewhere (\(told)): set AWS_REGION or AWS_ENDPOINT_URL_S3 to where the bucket "
          + "\(address.bucket) is")
    default:
      throw StoreFailure(.configuration, "\(shown) refuses to \(action) \(key) (\(told))")
    }
  }
}
