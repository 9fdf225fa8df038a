internal import CCurl
internal import Glibc
internal import Base

/// One request being sent: an easy handle, and what its callbacks collect. Lives on the loop's thread; the callbacks
/// get it unretained, and it outlives its handle.
final class Transfer {
  /// Why we ended the hop ourselves.
  enum Stop: Equatable {
    case refusedAddress(String, why: String)
    case headTooLarge, bodyTooLarge, sinkRefused
    case malformed(String)
    case connectTimeout, stallTimeout, totalTimeout, runOver
    case resent
  }

  let journey: Journey
  let easy: UnsafeMutableRawPointer
  let proxy: String?
  let addressGuard: AddressGuard
  let errorText: UnsafeMutablePointer<CChar>
  var fieldList: UnsafeMutablePointer<curl_slist>?
  var resolveList: UnsafeMutablePointer<curl_slist>?
  /// Where the trusted certificates come from, for a message; nil: only this machine's own.
  var issuersShown: String?

  private(set) var head = HeadReader()
  let body: BodyReceiver
  private(set) var stop: Stop?
  /// A redirect's body is read to keep the connection usable, but only up to this size.
  private var droppedBytes = 0
  static let droppedBytesMax = 64_000

  /// The last refused address, and the number of allowed ones.
  private var refusedAddress: (text: String, why: String)?
  private(set) var socketsOpened = 0
  private var sends = 0

  let startedAt: Duration
  private(set) var lastByteAt: Duration?
  private let elapsed: @Sendable () -> Duration
  private let census: Locked<Int>

  /// Nil if libcurl has no memory for a handle.
  init?(_ journey: Journey, proxy: String?, timekeeper: Timekeeper, census: Locked<Int>) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.journey = journey
    self.proxy = proxy
    self.census = census
    addressGuard = AddressGuard(
      rule: journey.request.rule, origin: journey.address.origin, isProxied: proxy != nil)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    body = BodyReceiver(bytesMax: journey.limits.bodyBytesMax)
    elapsed = timekeeper.elapsed
    startedAt = timekeeper.elapsed()
    census.withLock { $0 += 1 }
  }

  /// The handle must have left the multi handle.
  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(fieldList)
    curl_slist_free_all(resolveList)
    errorText.deallocate()
    census.withLock { $0 -= 1 }
  }

  var isRedirect: Bool {
    switch head.status {
    case 301, 302, 303, 307, 308: head.isComplete && head.fields["Location"] != nil
    default: false
    }
  }

  /// Set if no socket was opened because none was allowed.
  var refusal: Stop? {
    guard socketsOpened == 0, let refusedAddress else { return nil }
    return .refusedAddress(refusedAddress.text, why: refusedAddress.why)
  }

  /// True if one of the deadlines has passed.
  func expire(at now: Duration) -> Bool {
    guard let due = deadlines.first(where: { $0.at <= now }) else { return false }
    stop = due.stop
    return true
  }

  var nextDeadline: Duration { deadlines.map(\.at).min() ?? .seconds(Int64.max / 2) }

  private var deadlines: [(at: Duration, stop: Stop)] {
    let limits = journey.limits
    var deadlines = [(at: startedAt + journey.timeLeft, stop: Stop.totalTimeout)]
    if let end = journey.runEnd { deadlines.insert((end, .runOver), at: 0) }
    deadlines.append(
      lastByteAt.map { ($0 + limits.stallTimeout, .stallTimeout) }
        ?? (startedAt + limits.connectTimeout, .connectTimeout))
    return deadlines
  }

  // MARK: Called by libcurl

  /// Whether a socket may be opened for this address.
  func mayConnect(to address: IPAddress?) -> Bool {
    if let why = addressGuard.refusal(of: address) {
      refusedAddress = (address?.text ?? "?", why)
      return false
    }
    socketsOpened += 1
    return true
  }

  /// Called when the connection exists, new or reused, before anything of this hop is sent. A reused one may have been
  /// opened under a wider rule, so its address is checked again.
  func maySend(overConnectionTo address: String) -> Bool {
    lastByteAt = elapsed()
    // libcurl itself resends a request if a kept connection turns out dead or the server refuses the stream. The count
    // of requests would miss that.
    sends += 1
    if sends > 1 {
      stop = .resent
      return false
    }
    if !addressGuard.allowsAll, let why = addressGuard.refusal(of: IPAddress(address)) {
      stop = .refusedAddress(address, why: why)
      return false
    }
    journey.wasSent = true
    return true
  }

  /// False ends the transfer.
  func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
    lastByteAt = elapsed()
    let wasComplete = head.isComplete
    switch head.take(line) {
    case .tooLarge: stop = .headTooLarge
    case .malformed(let why): stop = .malformed(why)
    case nil: break
    }
    guard stop == nil, !wasComplete, head.isComplete, !isRedirect else { return stop == nil }
    let isContent = (200..<300).contains(head.status ?? 0)
    return go(on: body.begin(head, sink: isContent ? journey.sink : nil))
  }

  /// False ends the transfer.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastByteAt = elapsed()
    if isRedirect {
      droppedBytes += bytes.count
      return droppedBytes <= Self.droppedBytesMax
    }
    return go(on: body.receive(bytes))
  }

  private func go(on verdict: BodyReceiver.Verdict) -> Bool {
    switch verdict {
    case .goesOn: return true
    case .tooLarge: stop = .bodyTooLarge
    case .refused: stop = .sinkRefused
    case .damaged: stop = .malformed("its packed body is damaged")
    }
    return false
  }

  /// libcurl truncates a body at the announced length and reports it only here. Excess after a status without a body is
  /// ignored: the connection is closed, but the answer is complete.
  func hearExcess() {
    if stop == nil, case .length = head.framing {
      stop = .malformed("its body is longer than the announced length")
    }
  }
}
