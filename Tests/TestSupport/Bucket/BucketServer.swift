public import Base
internal import Transport

/// An S3-like object store over HTTP on loopback. Checks signatures, sums and conditions, with no code of the program's
/// but SHA-256.
public final class BucketServer: Sendable {
  public enum Fault: Sendable {
    /// The connection ends before anything is done, or after it without an answer; or the answer has this status.
    case cut, answerLost
    case status(Int, String = "ToldToFail")
    /// The object as if it ended in its midst.
    case short
  }

  public struct State: Sendable {
    public var content = BucketObjects()
    /// Method and key of all requests, in order.
    public var log: [String] = []
  }

  public let bucket = "acme"
  public let state = Locked(State())
  private let server = Locked<ScriptedServer?>(nil)
  private let clockOff: Duration
  private let fault: @Sendable (String) -> Fault?

  public static let key = "TESTKEY"
  public static let secret = "test/secret+of=a-store"

  public init(
    clockOff: Duration = .zero, fault: @escaping @Sendable (String) -> Fault? = { _ in nil }
  ) {
    (self.clockOff, self.fault) = (clockOff, fault)
    let server = ScriptedServer { [self] in serve($0) }
    self.server.withLock { $0 = server }
    TestEnd.then { server.stop() }
  }

  public func stop() { server.withLock { $0 }?.stop() }

  public var port: Int { server.withLock { $0 }?.port ?? 0 }
  public var endpoint: String { "http://127.0.0.1:\(port)" }

  /// The environment that a process needs to use it.
  public var environment: [String: String] {
    [
      "AWS_ENDPOINT_URL_S3": endpoint, "AWS_ACCESS_KEY_ID": Self.key,
      "AWS_SECRET_ACCESS_KEY": Self.secret, "AWS_REGION": "us-east-1",
    ]
  }

  public func requests(_ start: String) -> [String] {
    state.withLock { $0.log.filter { $0.hasPrefix(start) } }
  }

  public func keys(_ start: String) -> [String] {
    state.withLock { $0.content.objects.keys.filter { $0.hasPrefix(start) }.sorted() }
  }

  public func text(_ key: String) -> String? {
    state.withLock { $0.content.objects[key].map { String(decoding: $0.bytes, as: UTF8.self) } }
  }

  /// Replaces an object as another client would.
  public func replace(_ key: String, with text: String) {
    state.withLock { _ = $0.content.put(key, Array(text.utf8)) }
  }

  public func remove(_ key: String) { state.withLock { $0.content.remove(key) } }

  public func ignoreConditions(_ isIgnoring: Bool) {
    state.withLock { $0.content.ignoresConditions = isIgnoring }
  }

  // MARK: one request

  private func serve(_ request: ScriptedServer.Call) -> [ScriptedServer.Act] {
    let start = "/\(bucket)"
    guard request.path == start || request.path.hasPrefix("\(start)/") else {
      return answer(404, code: "NoSuchBucket")
    }
    let key = String(
      decoding: PercentEncoding.decoded(request.path.dropFirst(start.utf8.count + 1)), as: UTF8.self
    )
    let name =
      "\(key.isEmpty ? "LIST" : request.verb) \(key.isEmpty ? request.parameters["prefix"] ?? "" : key)"
    if let refusal = refusal(request) { return answer(refusal.0, code: refusal.1) }
    switch fault(name) {
    case .cut: return [.close]
    case .status(let status, let code): return answer(status, code: code)
    case .short:
      let done = carryOut(request, key, name)
      // cut: half of it
      return answer(done.status, done.fields, Array(done.body.prefix(done.body.count / 2)))
    case .answerLost:
      _ = carryOut(request, key, name)
      return [.close]
    case nil:
      let done = carryOut(request, key, name)
      return answer(done.status, done.fields, done.body, code: done.code)
    }
  }

  private struct Done {
    var status = 200
    var fields: [String] = []
    var body: [UInt8] = []
    var code: String?
  }

  private func carryOut(_ request: ScriptedServer.Call, _ key: String, _ name: String) -> Done {
    state.withLock { state in
      state.log.append(name)
      switch request.verb {
      case "PUT":
        let match = request.fields["if-match"].map { PutCondition.tag($0) }
        let condition = request.fields["if-none-match"] == "*" ? .absent : match
        if case .tag? = condition, state.content.objects[key] == nil {
          return Done(status: 404, code: "NoSuchKey")
        }
        let tag = state.content.put(key, request.bytes, if: condition)
        return tag.map { Done(fields: ["ETag: \($0)"]) }
          ?? Done(status: 412, code: "PreconditionFailed")
      case "DELETE":
        state.content.remove(key)
        return Done(status: 204)
      case "GET" where key.isEmpty: return Done(body: list(request, state.content))
      case "GET":
        guard let object = state.content.objects[key] else {
          return Done(status: 404, code: "NoSuchKey")
        }
        return Done(fields: ["ETag: \(object.tag)"], body: object.bytes)
      default: return Done(status: 405, code: "MethodNotAllowed")
      }
    }
  }

  /// Three on a page, so that longer lists have several.
  private static let page = 3

  private func list(_ request: ScriptedServer.Call, _ content: BucketObjects) -> [UInt8] {
    let prefix = request.parameters["prefix"] ?? ""
    let after = request.parameters["continuation-token"] ?? ""
    let all = content.objects.filter { $0.key.hasPrefix(prefix) && $0.key > after }
      .sorted { $0.key < $1.key }
    var text = "<?xml version=\"1.0\"?><ListBucketResult>"
    for (key, object) in all.prefix(Self.page) {
      let shown = key.split(separator: "/", omittingEmptySubsequences: false)
        .map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
      let tag = object.tag.split(separator: "\"").joined()
      text +=
        "<Contents><Key>\(shown)</Key><ETag>&quot;\(tag)&quot;</ETag><Size>\(object.bytes.count)</Size></Contents>"
    }
    text += "<IsTruncated>\(all.count > Self.page)</IsTruncated>"
    if all.count > Self.page {
      text += "<NextContinuationToken>\(all[Self.page - 1].key)</NextContinuationToken>"
    }
    return Array("\(text)</ListBucketResult>".utf8)
  }

  // MARK: what is refused

  private func refusal(_ request: ScriptedServer.Call) -> (Int, String)? {
    let fields = request.fields
    guard let date = fields["x-amz-date"], date.utf8.count == 16 else {
      return (403, "AccessDenied")
    }
    // The hour suffices here, or that of a moment ago; S3 itself allows 15 minutes.
    let hours = [now, now - .seconds(60)].map { CivilTime($0).compact.prefix(11) }
    guard hours.contains(date.prefix(11)) else { return (403, "RequestTimeTooSkewed") }
    let sum = Hexadecimal.text(SHA256.of(request.bytes))
    guard fields["x-amz-content-sha256"] == sum else { return (400, "XAmzContentSHA256Mismatch") }
    if request.verb == "PUT",
      fields["x-amz-checksum-sha256"] != Base64.encoded(SHA256.of(request.bytes))
    {
      return (400, "BadDigest")
    }
    // AWS4-HMAC-SHA256 Credential=ID/DAY/REGION/s3/aws4_request, SignedHeaders=a;b, Signature=hex
    let parts = (fields["authorization"] ?? "").split { " ,".utf8.contains($0.utf8.first ?? 0) }
    func value(_ name: String) -> String {
      parts.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
        ?? ""
    }
    let scope = value("Credential").split(separator: "/").map(String.init)
    guard scope.count == 5, scope[0] == Self.key else { return (403, "InvalidAccessKeyId") }
    let names = value("SignedHeaders").split(separator: ";").map(String.init)
    let mustSign = fields.keys.filter { $0 == "host" || $0.hasPrefix("x-amz-") }
    guard Set(mustSign).isSubset(of: names) else { return (403, "SignatureDoesNotMatch") }
    let lines = names.map { "\($0):\(fields[$0] ?? "")\n" }.joined()
    let canonical =
      "\(request.verb)\n\(request.path)\n\(request.query)\n\(lines)\n\(names.joined(separator: ";"))\n\(sum)"
    let hash = Hexadecimal.text(SHA256.of(Array(canonical.utf8)))
    let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope.dropFirst().joined(separator: "/"))\n\(hash)"
    var key = Array("AWS4\(Self.secret)".utf8)
    for part in scope.dropFirst() { key = Self.mac(key, part) }
    return Hexadecimal.text(Self.mac(key, text)) == value("Signature")
      ? nil : (403, "SignatureDoesNotMatch")
  }

  /// RFC 2104.
  private static func mac(_ key: [UInt8], _ text: String) -> [UInt8] {
    let key = key.count > 64 ? SHA256.of(key) : key
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = SHA256.of(block.map { $0 ^ 0x36 } + Array(text.utf8))
    return SHA256.of(block.map { $0 ^ 0x5c } + inner)
  }

  // The machine's clock: clients sign by it.
  private var now: Instant { Timekeeper.live.now() + clockOff }

  private func answer(
    _ status: Int, _ fields: [String] = [], _ body: [UInt8] = [], code: String? = nil
  ) -> [ScriptedServer.Act] {
    // Stores send this for a wrong signature; the program must not show it.
    let error = code.map {
      "<Error><Code>\($0)</Code><StringToSign>leaked \(Self.secret)</StringToSign></Error>"
    }
    return ScriptedServer.answer(
      status, ["Date: \(CivilTime(now).httpDate)"] + fields,
      body: error.map { Array($0.utf8) } ?? body)
  }
}
