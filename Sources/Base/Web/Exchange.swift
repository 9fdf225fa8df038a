/// The network seam. Each call puts at most one request on the wire and ends in exactly one outcome:
/// an answer (whatever its status) or a failure with its cause.
public protocol Exchange: Sendable {
  /// Sends one request, once. A redirect is not followed: its answer says where it leads, if that may be
  /// asked. With a sink, the body of a 2xx answer goes there as it comes and `Answer.body` stays
  /// empty; without one, or for any other status, it is gathered in memory. Cancelling the task ends
  /// the transfer with `.cancelled`.
  func send(_ request: Request, into sink: (any BodySink)?) async throws(ExchangeFailure) -> Answer

  /// Runs tasks on the thread that bodies with a sink come by, so that many short downloads are not handed
  /// from thread to thread. What runs there must not block. Nil: there is no such thread.
  var downloadExecutor: (any TaskExecutor)? { get }

  /// The same for answers that are gathered in memory: a page is read on the thread that it came by, and
  /// handed over once.
  var answerExecutor: (any TaskExecutor)? { get }
}

extension Exchange {
  public var downloadExecutor: (any TaskExecutor)? { nil }
  public var answerExecutor: (any TaskExecutor)? { nil }
}

/// Takes a body piece by piece. Called on the transport's thread: it must not block for long.
public protocol BodySink: AnyObject, Sendable {
  /// A new body begins: once per request.
  func begin(_ fields: HeaderFields)
  /// Decoded bytes, in order. False refuses the rest: the transfer ends with `.sinkRefused`.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// One GET, or a POST that only asks.
public struct Request: Sendable {
  public var address: WebAddress
  public var fields: [HeaderField]
  /// Makes it a POST. No redirect of one is followed.
  public var body: RequestBody?
  /// Sent only to its own origins.
  public var credential: Credential?
  /// It asks for an access token: neither what it sends nor what is answered is kept anywhere.
  public var token: TokenRequest?
  /// What its answer may repeat beside its own credential.
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
  /// The same, answered by the API itself; what the job says of caches counts.
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
  /// Origins that may resolve to any address at all: the job's own base. Empty for media.
  public var trusted: Set<Origin>
  /// `--allow-loopback`, or an endpoint on loopback given by hand: 127.0.0.0/8 and ::1 are allowed.
  public var allowsLoopback: Bool

  public init(trusted: Set<Origin> = [], allowsLoopback: Bool = false) {
    self.trusted = trusted
    self.allowsLoopback = allowsLoopback
  }
}

/// A whole answer: every byte that was announced has come and was decoded.
public struct Answer: Sendable {
  public var status: Int
  public var fields: HeaderFields
  public var body: [UInt8]
  /// Where the answer came from, without the credential.
  public var address: WebAddress
  /// The redirects before this answer.
  public var hops: [Hop]
  /// Of a redirect: the next address.
  public var leadsTo: RedirectTarget?
  public var sentAt: Instant
  public var receivedAt: Instant
  public var duration: Duration
  /// Decoded bytes, also when they went to a sink.
  public var bodyBytes: Int
  /// `1.1`, `2`.
  public var httpVersion: String
  /// A proxy was used: it resolved the name, not we.
  public var wentThroughProxy: Bool
  /// The length, the last chunk, the stream's end or the compressed body's check sum came. False
  /// for a body that ends where the connection does: legal, but only its content can show a cut.
  public var isEndProven: Bool
  /// The body repeated a secret, which was taken out.
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

  /// Of one that is an error.
  public var failure: Cause? { if case .failed(let cause) = kind { cause } else { nil } }

  /// How long a cache on the way has kept the answer; nil: no cache says that it did.
  public var age: Duration? {
    guard let seconds = fields["Age"].flatMap({ Int64($0.trimmingBlanks) }), seconds > 0,
      seconds < 1 << 40
    else { return nil }
    return .seconds(seconds)
  }

  /// A cache says that it has answered with what it should not keep any longer: its words.
  public var staleWords: String? {
    fields.all.first { field in
      let value = field.value.lowercased()
      switch field.name.lowercased() {
      case "warning": return value.hasPrefix("110") || value.hasPrefix("111")
      case "x-cache", "x-cache-status", "cf-cache-status":
        return value.contains("stale") || value.contains("updating")
      // `fwd=stale` says that the server itself was asked again.
      case "cache-status": return value.contains("hit") && value.contains("ttl=-")
      default: return false
      }
    }.map { "\($0.name): \($0.value)" }
  }

  /// When the server answered, by its own clock; nil: it does not say.
  public var toldDate: Instant? { fields["Date"].flatMap { Instant(httpDate: $0) } }

  /// The same, else when the answer came.
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

/// No whole answer came.
public struct ExchangeFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    case unbuildable, refusedAddress, unresolved, unreachable, tls, timedOut, stalled, reset, cut
    case malformed, tooLarge, tooManyHops, refusedRedirect, proxy, sinkRefused, cancelled, closed
  }

  public var kind: Kind
  public var cause: Cause
  /// Where it happened, without the credential.
  public var address: WebAddress?
  /// One sentence for a person: what, where, what to do.
  public var sentence: String
  /// The status, when the head had come before the failure.
  public var status: Int?
  /// Whether anything of the request may have left this machine. Only where it is known that nothing
  /// did, it is false: such a request was not spent.
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

  /// There was no host to send it to.
  private static let neverSent: Set<Kind> = [
    .unbuildable, .refusedAddress, .unresolved, .unreachable,
  ]

  public var description: String { sentence }

  /// A refusal is a refusal: asking again cannot help. A fault of the network may pass.
  public var mayPass: Bool {
    switch kind {
    case .unresolved, .unreachable, .timedOut, .stalled, .reset, .cut, .malformed: true
    case .unbuildable, .refusedAddress, .tls, .tooLarge, .tooManyHops, .refusedRedirect, .proxy,
      .sinkRefused, .cancelled, .closed:
      false
    }
  }
}
