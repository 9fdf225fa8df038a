/// The network seam. Each call puts at most one request on the wire and ends in exactly one outcome:
/// an answer (whatever its status) or a failure with its cause.
public protocol Exchange: Sendable {
  /// Sends one request, once. Redirects are not followed: the answer says where one leads, if that may be requested.
  /// With a sink, the body of a 2xx answer goes there as it arrives and `Answer.body` stays empty; otherwise it is
  /// collected in memory. Cancelling the task ends the transfer with `.cancelled`.
  func send(_ request: Request, into sink: (any BodySink)?) async throws(ExchangeFailure) -> Answer

  /// Runs tasks on the thread on which bodies for a sink arrive, so that many short downloads need no thread switches.
  /// Must not block. Nil: there is no such thread.
  var downloadExecutor: (any TaskExecutor)? { get }

  /// The same for answers that are collected in memory: a page is read on the thread on which it arrived, and handed
  /// over once.
  var answerExecutor: (any TaskExecutor)? { get }
}

extension Exchange {
  public var downloadExecutor: (any TaskExecutor)? { nil }
  public var answerExecutor: (any TaskExecutor)? { nil }
}

/// Receives a body piece by piece, on the transport's thread, so it must not block for long.
public protocol BodySink: AnyObject, Sendable {
  /// A new body begins: once for each request.
  func begin(_ fields: HeaderFields)
  /// Decoded bytes, in order. False refuses the rest: the transfer ends with `.sinkRefused`.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// A GET, or a POST that only reads.
public struct Request: Sendable {
  public var address: WebAddress
  public var fields: [HeaderField]
  /// Makes it a POST, whose redirects are not followed.
  public var body: RequestBody?
  /// Sent only to its own origins.
  public var credential: Credential?
  /// It requests an access token: neither request nor answer is kept anywhere, and the answer's body is read unmasked.
  public var token: TokenRequest?
  /// Secrets in its body and its fields: shown nowhere.
  public var secrets: [Secret] = []
  /// Further secrets that its answer may repeat.
  public var seen: SeenSecrets?
  public var rule: AddressRule
  public var limits: TransferLimits

  public init(
    _ address: WebAddress, fields: [HeaderField] = [], credential: Credential? = nil,
    rule: AddressRule, limits: TransferLimits = TransferLimits()
  ) {
    self.address = address
    self.fields = fields
    self.credential = credential
    self.rule = rule
    self.limits = limits
  }
}

extension Request {
  /// The same request, answered by the API itself, unless the job sets `Cache-Control`.
  public var pastCaches: Request {
    let name = "Cache-Control"
    guard !fields.contains(where: { $0.name.equalsIgnoringCase(name) }) else { return self }
    var request = self
    request.fields.append(HeaderField(name, "no-cache"))
    return request
  }
}

/// Which addresses a request may connect to; checked at connect time.
public struct AddressRule: Equatable, Sendable {
  /// Origins that may resolve to any address: the job's own base. Empty for media.
  public var trusted: Set<Origin>
  /// `--allow-loopback`, or an endpoint on loopback given by the user: 127.0.0.0/8 and ::1 are allowed.
  public var allowsLoopback: Bool

  public init(trusted: Set<Origin> = [], allowsLoopback: Bool = false) {
    self.trusted = trusted
    self.allowsLoopback = allowsLoopback
  }
}

/// A complete answer: every announced byte arrived and was decoded.
public struct Answer: Sendable {
  public var status: Int
  public var fields: HeaderFields
  public var body: [UInt8]
  /// Where the answer came from, without the credential.
  public var address: WebAddress
  /// The redirects before this answer.
  public var hops: [Hop]
  /// For a redirect: the next address.
  public var leadsTo: RedirectTarget?
  public var sentAt: Instant
  public var receivedAt: Instant
  public var duration: Duration
  /// Decoded bytes, even if they went to a sink.
  public var bodyBytes: Int
  /// `1.1`, `2`.
  public var httpVersion: String
  /// A proxy was used, which resolved the name.
  public var wentThroughProxy: Bool
  /// A length, last chunk, stream end or checksum proves the end. False for a body that ends with the connection:
  /// legal, but only its content can show a truncation.
  public var isEndProven: Bool
  /// The body repeated a secret, which was masked.
  public var isMasked = false

  public init(
    status: Int, fields: HeaderFields, body: [UInt8], address: WebAddress, hops: [Hop] = [],
    sentAt: Instant, receivedAt: Instant, duration: Duration = .zero, bodyBytes: Int? = nil,
    httpVersion: String = "1.1", wentThroughProxy: Bool = false, isEndProven: Bool = true
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.address = address
    self.hops = hops
    self.sentAt = sentAt
    self.receivedAt = receivedAt
    self.duration = duration
    self.bodyBytes = bodyBytes ?? body.count
    self.httpVersion = httpVersion
    self.wentThroughProxy = wentThroughProxy
    self.isEndProven = isEndProven
  }

  public enum Kind: Equatable, Sendable {
    case content, accepted, noContent, notModified, failed(Cause)
  }

  /// 204, 202 and 304 are outcomes of their own, not errors.
  public var kind: Kind {
    switch status {
    case 202: .accepted
    case 204: .noContent
    case 304: .notModified
    case 200..<300: .content
    case 400..<500: .failed(.client)
    case 500..<600: .failed(.server)
    default: .failed(.status)
    }
  }

  /// The cause, if it is an error.
  public var failure: Cause? { if case .failed(let cause) = kind { cause } else { nil } }

  /// How long a cache has held the answer; nil: no cache says so.
  public var age: Duration? {
    guard let seconds = fields["Age"].flatMap({ Int64($0.trimmingBlanks) }), seconds > 0,
      seconds < 1 << 40
    else { return nil }
    return .seconds(seconds)
  }

  /// The words of a cache which say that its answer is stale.
  public var staleWords: String? {
    fields.all.first { field in
      let value = field.value.lowercased()
      switch field.name.lowercased() {
      case "warning": return value.hasPrefix("110") || value.hasPrefix("111")
      case "x-cache", "x-cache-status", "cf-cache-status":
        return value.contains("stale") || value.contains("updating")
      // `fwd=stale` means that the server was requested again.
      case "cache-status": return value.contains("hit") && value.contains("ttl=-")
      default: return false
      }
    }.map { "\($0.name): \($0.value)" }
  }

  /// When the server answered, by its own clock; nil: it does not say.
  public var toldDate: Instant? { fields["Date"].flatMap { Instant(httpDate: $0) } }

  /// The same, or else when the answer arrived.
  public var serverDate: Instant { toldDate ?? receivedAt }
}

/// One redirect that was followed.
public struct Hop: Equatable, Sendable {
  public var status: Int
  public var from: WebAddress
  public var to: WebAddress

  public init(status: Int, from: WebAddress, to: WebAddress) {
    self.status = status
    self.from = from
    self.to = to
  }
}

/// No complete answer came.
public struct ExchangeFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    case unbuildable, refusedAddress, unresolved, unreachable, tls, timedOut, stalled, reset, cut
    case malformed, tooLarge, tooManyHops, refusedRedirect, proxy, sinkRefused, cancelled, closed
  }

  public var kind: Kind
  public var cause: Cause
  /// Where it failed, without the credential.
  public var address: WebAddress?
  /// One sentence for the user: what, where, what to do.
  public var sentence: String
  /// The status, if the head had arrived before.
  public var status: Int?
  /// Whether any part of the request may have left this machine. False only if it certainly did not: then the request
  /// was not spent.
  public var wasSent: Bool

  public init(
    _ kind: Kind, cause: Cause, address: WebAddress? = nil, sentence: String, status: Int? = nil,
    wasSent: Bool? = nil
  ) {
    self.kind = kind
    self.cause = cause
    self.address = address
    self.sentence = sentence
    self.status = status
    self.wasSent = wasSent ?? !Self.neverSent.contains(kind)
  }

  /// The host was never reached.
  private static let neverSent: Set<Kind> = [
    .unbuildable, .refusedAddress, .unresolved, .unreachable,
  ]

  public var description: String { sentence }

  /// Whether a retry may help: a network fault may pass, a refusal does not.
  public var mayPass: Bool {
    switch kind {
    case .unresolved, .unreachable, .timedOut, .stalled, .reset, .cut, .malformed: true
    case .unbuildable, .refusedAddress, .tls, .tooLarge, .tooManyHops, .refusedRedirect, .proxy,
      .sinkRefused, .cancelled, .closed:
      false
    }
  }
}
