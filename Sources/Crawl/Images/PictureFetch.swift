internal import Base
internal import Media
internal import Walk

/// Downloads one picture into the image folder: without credential, cookie or referrer, and from public addresses only,
/// except for hosts that the job allows.
struct PictureFetch: Sendable {
  enum Fetched: Sendable {
    case stored(FinishedImage, Answer)
    /// 304: our file is still current.
    case unchanged
    /// Refused by the server or for its content; remembered.
    case refused(reason: String, status: Int?)
    /// No complete answer after all tries.
    case failed(reason: String, status: Int?, sentence: String)
    /// Not requested, or told to wait, through no fault of its own: until then, or for a while.
    case postponed(reason: String, until: Instant?)
    /// The folder or the ledger cannot be written.
    case broken(any Error)
    /// The run ended first.
    case stopped
  }

  let requester: Requester
  let hosts: PictureHosts
  let content: ContentStore
  let media: MediaSettings
  let allowsLoopback: Bool
  /// The API's origin. An API on this machine has its pictures there as well.
  let origin: Origin?
  var times = Self.times

  /// An image is small: one that takes a minute is not worth its place in flight.
  static let times: TransferLimits = {
    var limits = TransferLimits()
    limits.stallTimeout = .seconds(20)
    limits.totalTimeout = .seconds(60)
    return limits
  }()

  /// - Parameter conditions: validators of a picture that we have.
  func fetch(_ address: WebAddress, _ conditions: [HeaderField] = []) async -> Fetched {
    let bytesMax = media.fileBytesMax
    let call = Call<Fetched>(
      request: request(for: address, conditions), booking: .pictures(hosts), patience: .picture,
      name: "a picture"
    ) { _ in
      var limits = ImageLimits()
      limits.bytesMax = bytesMax
      let download = content.download(limits: limits)
      return Attempt(
        sink: download, refused: { Self.finish(download, nil, status: $0.status) },
        read: { Self.read($0, download, isConditional: !conditions.isEmpty) })
    }
    switch await requester.perform(call) {
    case .value(let fetched): return fetched
    case .givenUp(_, let message, let failure):
      return .failed(
        reason: failure.map(reason) ?? message, status: failure?.status,
        sentence: failure?.sentence ?? message)
    case .decided(_, let failure):
      return .refused(reason: failure.map(reason) ?? "refused", status: failure?.status)
    case .unreachable(let message): return .postponed(reason: message, until: nil)
    case .stopped(let stop):
      return stop.rule == .limit
        ? .postponed(reason: "its host asks for a wait", until: stop.goesOnAt) : .stopped
    case .broken(let error): return .broken(error)
    }
  }

  private func request(for address: WebAddress, _ conditions: [HeaderField]) -> Request {
    let isOwn = address.origin == origin && address.origin.isLoopback
    let isAllowed = isOwn || media.allow.contains { $0.equalsIgnoringCase(address.origin.host) }
    var limits = times
    limits.bodyBytesMax = media.fileBytesMax + 1
    return Request(
      address, fields: [HeaderField("Accept", "image/*")] + conditions,
      rule: AddressRule(
        trusted: isAllowed ? [address.origin] : [], allowsLoopback: allowsLoopback),
      limits: limits)
  }

  private static func read(
    _ answer: Answer, _ download: ImageDownload, isConditional: Bool
  ) -> Judged<Fetched> {
    switch answer.kind {
    // No range was requested.
    case .content where answer.status == 206:
      return .value(.refused(reason: "status 206, a part of it", status: 206))
    case .content: return .value(finish(download, answer, status: answer.status))
    case .notModified where isConditional: return .value(.unchanged)
    default: break
    }
    let sentence = "status \(answer.status)"
    // A rate limit says nothing of this picture.
    let wait = LimitSigns(answer).wait
    if answer.status == 429 || wait != nil && [403, 503].contains(answer.status) {
      let until = wait.map { answer.receivedAt + $0 }
      return .decision(.postpone(until: until, quota: nil, message: sentence))
    }
    if answer.failure == .server {
      return .decision(.retry(after: nil, cause: .server, message: sentence))
    }
    return .value(.refused(reason: sentence, status: answer.status))
  }

  private static func finish(
    _ download: ImageDownload, _ answer: Answer?, status: Int?
  ) -> Fetched {
    do {
      let file = try download.finish()
      guard let answer else { return .refused(reason: "the body was refused", status: status) }
      return .stored(file, answer)
    } catch {
      switch error {
      case .store(let broken): return .broken(broken)
      case .refused(let refusal): return .refused(reason: refusal.code, status: status)
      }
    }
  }

  /// With the remedy: allow the host in the job, or loopback by the option.
  static let notAllowed = "address not allowed (see media.allow, --allow-loopback)"
  /// The reasons of what the job's own rule refused.
  static let ruled = [notAllowed, ImageRefusal.tooManyBytes(max: 0).code]

  private func reason(_ failure: ExchangeFailure) -> String {
    switch failure.kind {
    case .refusedAddress: Self.notAllowed
    case .tooLarge: ImageRefusal.tooManyBytes(max: media.fileBytesMax).code
    case .refusedRedirect: "redirect not allowed"
    case .tooManyHops: "too many redirects"
    case .timedOut: "timed out"
    // The answer was complete, but an error.
    case .cut where failure.cause == .server: failure.sentence
    default: failure.kind.rawValue
    }
  }
}
