internal import Media
internal import Model
internal import Store
internal import Walk

/// Fetches the images of a job beside its walk, from the queue in the database: many at once, made
/// durable in groups, and only then written down. A killed run loses none.
struct ImagePass: Sendable {
  let context: RunContext
  let store: RecordStore
  let content: ContentStore

  /// Files that are made durable, and written down, together.
  static let groupMax = 64
  /// Tries of one image in one run, where the network failed.
  static let triesMax = 3
  /// Room that is left on the disk whatever comes.
  static let freeBytesMin = 500_000_000

  init?(_ context: RunContext, _ parts: RunParts) {
    guard parts.options.fetchesImages, let content = parts.content,
      parts.job.streams.contains(where: { !$0.media.isEmpty })
    else { return nil }
    self.context = context
    store = parts.store
    self.content = content
  }

  /// Runs until the walk has ended and nothing is due; the error that ended it early, if any.
  func run(_ signal: PageSignal) async -> (any Error)? {
    do {
      _ = try await content.perform { store throws(MediaError) in try store.sweep() }
      try await drain()
      for await _ in signal.pages { try await drain() }
      try await drain()
      let pending = try await store.imagesPending(of: context.job.name)
      context.recorder.change { $0.images.pending = pending }
      return nil
    } catch {
      context.recorder.change { $0.images.stoppedBecause = "\(error)" }
      return error
    }
  }

  /// Takes what is due until nothing is, or a signal or a ceiling stops it.
  private func drain() async throws {
    while !context.isInterrupted() {
      if let reason = try await ceiling() {
        context.recorder.change { $0.images.stoppedBecause = reason }
        return
      }
      let due = try await store.imagesDue(of: context.job.name, limit: Self.groupMax)
      if due.isEmpty { return }
      try await fetch(due)
    }
  }

  /// Why no further image may be stored: the job's ceiling, or a disk that is nearly full.
  private func ceiling() async throws -> String? {
    let space = try await content.perform { store throws(MediaError) in try store.space() }
    if space.freeBytes < Self.freeBytesMin {
      return "less than 500 MB are free on the disk: images wait until there is room"
    }
    guard let limit = context.job.media.limitBytes else { return nil }
    let stored = try await store.imageBytesStored()
    return stored >= limit ? "the job's ceiling for images is reached" : nil
  }

  /// One group: side by side, then durable together, then written down in one transaction.
  private func fetch(_ due: [ImageDue]) async throws {
    var finished: [(ImageDue, FinishedImage, Answer)] = []
    var outcomes: [ImageOutcome] = []
    var broken: MediaError?
    await withTaskGroup(of: (ImageDue, Fetched).self) { group in
      var waiting = due[...]
      for _ in 0..<context.options.imagesAtOnce {
        guard let next = waiting.popFirst() else { break }
        group.addTask { (next, await one(next)) }
      }
      while let (image, fetched) = await group.next() {
        switch fetched {
        case .stored(let file, let answer): finished.append((image, file, answer))
        case .outcome(let outcome): outcomes.append(outcome)
        case .broken(let error): broken = broken ?? error
        case .notAsked: break
        }
        if broken == nil, let next = waiting.popFirst() {
          group.addTask { (next, await one(next)) }
        }
      }
    }
    if let broken { throw broken }
    if finished.isEmpty, outcomes.isEmpty { throw CancellationError() }
    // In the order of the queue, whichever came first.
    let places = Dictionary(
      due.enumerated().map { ($0.element.identity, $0.offset) }, uniquingKeysWith: { one, _ in one }
    )
    finished.sort { places[$0.0.identity] ?? 0 < places[$1.0.identity] ?? 0 }
    outcomes += try await settle(finished)
    try await store.recordImages(outcomes, of: context.job.name)
    context.recorder.event(.images(context.recorder.snapshot().images))
  }

  private func settle(
    _ finished: [(ImageDue, FinishedImage, Answer)]
  ) async throws -> [ImageOutcome] {
    let settled = try await content.settle(finished.map { $0.1 })
    return zip(finished, settled).map { entry, settled in
      let image = settled.image
      let path = image.path
      let isNew = settled.placement == .new
      let isFirstMany = isNew
      context.recorder.change { facts in
        facts.images.fromNetwork += 1
        facts.images.bytes += image.byteCount
        if !isNew { facts.images.sameBytes += 1 }
        if isFirstMany, facts.images.newPaths.count < 60 {
          facts.images.newPaths.append(ImageSample(path: path, title: entry.0.title))
        }
      }
      let row = StoredImageRow(
        digest: image.digest.hex, path: path, size: image.byteCount,
        type: image.kind.mediaType, width: image.width, height: image.height)
      return .stored(
        identity: entry.0.identity, row, status: entry.2.status, etag: entry.2.fields["ETag"],
        lastModified: entry.2.fields["Last-Modified"])
    }
  }

  // MARK: one image

  private enum Fetched: Sendable {
    case stored(FinishedImage, Answer)
    case outcome(ImageOutcome)
    /// The folder cannot be written.
    case broken(MediaError)
    /// A signal came before it was asked.
    case notAsked
  }

  private func one(_ image: ImageDue) async -> Fetched {
    let address: WebAddress
    do {
      // A URL without a scheme takes the API's own.
      address = try context.job.base.resolving(image.url)
    } catch {
      return refused(image, status: nil, "not a URL that can be fetched", isForGood: true)
    }
    var last = ""
    for attempt in 1...Self.triesMax {
      if context.isInterrupted() { return .notAsked }
      if attempt > 1 {
        let wait = context.backoff.wait(
          afterTries: attempt, elapsed: .zero, random: context.time.random())
        do { try await context.time.sleep(wait ?? .seconds(1)) } catch { return .notAsked }
      }
      switch await attemptOnce(image, address) {
      case .success(let fetched): return fetched
      case .failure(let failure):
        if failure.kind == .cancelled || failure.kind == .closed { return .notAsked }
        last = failure.kind.rawValue
        if !failure.mayPass { return refused(image, status: failure.status, reason(failure)) }
      }
    }
    return refused(image, status: nil, last)
  }

  private func attemptOnce(
    _ image: ImageDue, _ address: WebAddress
  ) async -> Result<Fetched, ExchangeFailure> {
    var limits = ImageLimits()
    limits.bytesMax = context.job.media.fileBytesMax
    let download = content.download(limits: limits)
    context.recorder.change { $0.images.requests += 1 }
    do {
      let answer = try await context.exchange.send(request(image, address), into: download)
      switch answer.kind {
      case .content: return .success(finish(image, download, answer))
      case .notModified where image.digest != nil:
        context.recorder.change { $0.images.fromDisk += 1 }
        return .success(.outcome(.unchanged(identity: image.identity)))
      case .failed(.server):
        return .failure(
          ExchangeFailure(
            .cut, cause: .server, sentence: "status \(answer.status)", status: answer.status))
      default:
        return .success(refused(image, status: answer.status, "status \(answer.status)"))
      }
    } catch {
      // The sink knows better why it refused the rest.
      if error.kind == .sinkRefused { return .success(finish(image, download, nil)) }
      return .failure(error)
    }
  }

  private func finish(_ image: ImageDue, _ download: ImageDownload, _ answer: Answer?) -> Fetched {
    do {
      let file = try download.finish()
      guard let answer else {
        return refused(image, status: nil, "the body was refused")
      }
      return .stored(file, answer)
    } catch {
      switch error {
      case .store(let broken): return .broken(broken)
      case .refused(let refusal): return refused(image, status: answer?.status, refusal.code)
      }
    }
  }

  /// No credential, no cookie, no referrer: only what the image itself needs.
  private func request(_ image: ImageDue, _ address: WebAddress) -> Request {
    var fields = [HeaderField("Accept", "image/*")]
    if let etag = image.etag { fields.append(HeaderField("If-None-Match", etag)) }
    if let date = image.lastModified { fields.append(HeaderField("If-Modified-Since", date)) }
    let isAllowed = context.job.media.allow.contains {
      $0.equalsIgnoringCase(address.origin.host)
    }
    var limits = TransferLimits()
    limits.bodyBytesMax = context.job.media.fileBytesMax + 1
    return Request(
      address, fields: fields,
      rule: AddressRule(
        trusted: isAllowed ? [address.origin] : [],
        allowsLoopback: context.options.allowsLoopback), limits: limits)
  }

  private func reason(_ failure: ExchangeFailure) -> String {
    failure.kind == .refusedAddress ? "address not allowed" : failure.kind.rawValue
  }

  private func refused(
    _ image: ImageDue, status: Int?, _ reason: String, isForGood: Bool = false
  ) -> Fetched {
    context.recorder.change { $0.images.refused[reason, default: 0] += 1 }
    return .outcome(
      .refused(
        identity: image.identity, status: status, reason: reason, mayBeAskedAgain: !isForGood))
  }
}
