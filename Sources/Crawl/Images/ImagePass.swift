internal import Base
public import Media
public import Store

/// Fetches a job's images beside its walk, from the queue in the database: many at once, made durable in groups, and
/// recorded only then. A killed run loses none.
struct ImagePass: Sendable {
  let context: RunContext
  var store: RecordStore { context.store }
  let content: ContentStore

  private let hosts = PictureHosts(failuresMax: 10)

  init?(_ context: RunContext, _ parts: RunParts) {
    guard parts.options.fetchesImages, let content = parts.content,
      parts.job.streams.contains(where: { !$0.media.isEmpty })
    else { return nil }
    self.context = context
    self.content = content
  }

  private enum Event: Sendable {
    case page, walkEnded
    case fetched(ImageDue, ImageLine.Fetched)
    case written(ImageLine.Group, stop: String?, (any Error)?)
  }

  /// Waits for the walk's first page, or its end: until then no answer has confirmed our clock.
  /// - Returns: false: it is wrong, and nothing may be stored.
  func mayBegin() async -> Bool {
    _ = await Self.nextPage(context.signal)
    return !isClockWrong
  }

  private var isClockWrong: Bool { context.requester.clockCheck?.hasStopped ?? false }

  /// Before the first image: removes what killed runs left, and queues images whose files were deleted. Only the names
  /// in the folders are read.
  func prepare() async -> (any Error)? {
    do {
      _ = try await content.perform { store throws(MediaError) in try store.sweep() }
      try await store.endImpossibleWaits(of: context.job.name)
      let media = context.job.media
      try await store.note(
        imageRule: "\(media.fileBytesMax) \(media.allow)", refusing: PictureFetch.ruled,
        of: context.job.name)
      try await store.restGoneImages(of: context.job)
      try await lookForFiles()
      return nil
    } catch {
      context.recorder.change { $0.images.stoppedBecause = "\(error)" }
      return error
    }
  }

  /// If more than this and over 30 % are missing, their disk may not be mounted.
  private static let missingMax = 20

  private func lookForFiles() async throws {
    let gone = Set(try await store.missingFiles())
    var (known, missing, back) = (0, [String](), [String]())
    for byte in UInt8.min...UInt8.max {
      let images = try await store.storedImages(inFolder: byte, of: context.job.name)
        .compactMap { StoredImage($0) }
      if images.isEmpty { continue }
      let lacking = try await content.perform { store throws(MediaError) in
        try store.missing(folder: byte, of: images)
      }
      let names = Set(lacking.map(\.digest.hex))
      for name in images.map(\.digest.hex) {
        if gone.contains(name) {
          if !names.contains(name) { back.append(name) }
          continue
        }
        known += 1
        if names.contains(name) { missing.append(name) }
      }
    }
    try await store.noteFound(back)
    let (lost, all) = (missing.count, known)
    let areMissing = lost > Self.missingMax && lost * 10 > all * 3
    context.recorder.change { $0.images.areFilesMissing = areMissing }
    if areMissing {
      return context.recorder.change {
        $0.images.stoppedBecause =
          "\(lost) of \(all) picture files are missing: is the disk of media mounted? No picture is "
          + "fetched until they are back; if they are gone, trawl media verify downloads them again"
      }
    }
    guard lost > 0 else { return }
    let miscounted = try await store.wantFiles(missing)
    context.recorder.change { $0.images.fromDisk -= miscounted }
    context.recorder.story("\(lost) image files were gone: asked for again.")
  }

  /// Runs until the walk has ended and nothing is due; the error that ended it early, if any.
  func run() async -> (any Error)? {
    if context.recorder.snapshot().images.areFilesMissing == true { return await conclude(nil) }
    var line = ImageLine(unsettledMax: content.openFilesMax)
    var failure: (any Error)?
    await withTaskGroup(of: Event.self) { group in
      group.addTask { await Self.nextPage(context.signal) }
      while !line.isDone {
        do {
          try await advance(&line, in: &group)
        } catch {
          failure = failure ?? error
          line.abandon()
        }
        if line.isDone { break }
        guard let event = await group.next() else { break }
        switch event {
        case .page:
          line.mayBeMore = true
          group.addTask { await Self.nextPage(context.signal) }
        case .walkEnded:
          line.mayBeMore = true
          line.isOpen = false
          if context.options.imagesEndWithWalk || isClockWrong { line.halt() }
        case .fetched(let image, let fetched):
          if case .broken(let error) = fetched { failure = failure ?? error }
          line.take(image, fetched)
        case .written(let written, let stop, let error):
          line.written(written)
          if let error { failure = failure ?? error }
          if error != nil { line.abandon() }
          if let stop { halt(&line, stop) }
        }
      }
      // Ends the wait for the next page, if the images ended before the walk.
      group.cancelAll()
    }
    return await conclude(failure)
  }

  private func conclude(_ failure: (any Error)?) async -> (any Error)? {
    var failure = failure
    do {
      let pending = try await store.imagesPending(of: context.job.name)
      context.recorder.change { facts in
        facts.images.pending = pending
        guard pending == 0, facts.images.isAtLimit || facts.images.hasNoRoom else { return }
        // No image waits for room any more: each is stored or rests.
        (facts.images.isAtLimit, facts.images.hasNoRoom) = (false, false)
        facts.images.stoppedBecause = nil
      }
    } catch {
      failure = failure ?? error
    }
    if let failure { context.recorder.change { $0.images.stoppedBecause = "\(failure)" } }
    return failure
  }

  private static func nextPage(_ signal: PageSignal) async -> Event {
    var pages = signal.pages.makeAsyncIterator()
    return await pages.next() == nil ? .walkEnded : .page
  }

  /// Takes what is due, starts what may be requested, and has finished images written.
  private func advance(_ line: inout ImageLine, in group: inout TaskGroup<Event>) async throws {
    if context.isInterrupted {
      line.isStopping = true
      line.dropWaiting()
    }
    if line.wantsMore(atOnce: context.options.imagesAtOnce) {
      if let reason = try await ceiling() {
        halt(&line, reason)
      } else {
        let limit = line.takenCount + ImageLine.refillMax
        line.refill(try await store.imagesDue(of: context.job.name, limit: limit), asked: limit)
      }
    }
    if !line.waiting.isEmpty, let late = context.requester.lateness {
      halt(&line, "\(late): images wait for the next run")
    }
    while let image = line.start(atOnce: context.options.imagesAtOnce) {
      group.addTask { .fetched(image, await one(image)) }
    }
    if let ready = line.group() { group.addTask { await write(ready) } }
  }

  /// Requests one image, and returns what is to be recorded of it.
  private func one(_ image: ImageDue) async -> ImageLine.Fetched {
    if image.url.holds(SecretScreen.mask) {
      return refused(
        image, status: nil, "its URL repeats the key, which is not stored", isForGood: true)
    }
    let address: WebAddress
    do {
      // A URL without a scheme uses the API's.
      address = try context.job.base.resolving(image.url)
    } catch {
      return refused(image, status: nil, "not a URL that can be fetched", isForGood: true)
    }
    var conditions: [HeaderField] = []
    if image.digest != nil {
      if let etag = image.etag { conditions.append(HeaderField("If-None-Match", etag)) }
      if let date = image.lastModified {
        conditions.append(HeaderField("If-Modified-Since", date))
      }
    }
    let fetch = PictureFetch(
      requester: context.requester, hosts: hosts, content: content, media: context.job.media,
      allowsLoopback: context.options.allowsLoopback,
      origin: context.job.base.origin, times: context.options.imageTimes)
    switch await fetch.fetch(address, conditions) {
    case .stored(let file, let answer): return .stored(file, answer)
    case .unchanged:
      context.recorder.change { $0.images.fromDisk += 1 }
      return .outcome(.unchanged(identity: image.identity))
    case .refused(let reason, let status), .failed(let reason, let status, _):
      return refused(image, status: status, reason)
    case .postponed(let reason, let until):
      context.recorder.change { $0.images.refused[reason, default: 0] += 1 }
      return .outcome(.postponed(identity: image.identity, reason: reason, until: until))
    case .broken(let error): return .broken(error)
    case .stopped: return .notAsked
    }
  }

  private func refused(
    _ image: ImageDue, status: Int?, _ reason: String, isForGood: Bool = false
  ) -> ImageLine.Fetched {
    context.recorder.change { $0.images.refused[reason, default: 0] += 1 }
    return .outcome(
      .refused(
        identity: image.identity, status: status, reason: reason, mayBeAskedAgain: !isForGood))
  }

  private func halt(_ line: inout ImageLine, _ reason: String) {
    context.recorder.change { $0.images.stoppedBecause = reason }
    line.halt()
  }

  // MARK: ceilings

  /// Why no further image may be fetched: the job's ceiling, or a disk that is nearly full.
  private func ceiling() async throws -> String? {
    if let reason = try await fullDisk() { return reason }
    guard let limit = context.job.media.limitBytes else { return nil }
    return try await store.imageBytesStored() >= limit ? reached(limit) : nil
  }

  private func fullDisk() async throws -> String? {
    let free = try await content.perform { store throws(MediaError) in try store.freeBytes() }
    let floor = context.options.imageFreeBytesMin
    guard free < floor else { return nil }
    context.recorder.change { $0.images.hasNoRoom = true }
    return "less than \(floor / 1_000_000) MB is free on the disk: images wait until there is room"
  }

  private func reached(_ limit: Int64) -> String {
    context.recorder.change { $0.images.isAtLimit = true }
    let size = SizeText.written(limit)
    return "the job's limit of \(size) for all images of the folder is reached: raise media.limit, "
      + "or let trawl media gc remove what no record needs"
  }

  // MARK: writing

  /// Makes a group durable, then records it in one transaction. What exceeds a ceiling is dropped and stays due.
  private func write(_ group: ImageLine.Group) async -> Event {
    do {
      var kept = group.finished
      var stop: String?
      if !kept.isEmpty { stop = try await fullDisk() }
      if stop != nil { kept = [] }
      if !kept.isEmpty, let limit = context.job.media.limitBytes {
        var room = limit - (try await store.imageBytesStored())
        kept = kept.prefix { one in
          room -= Int64(one.image.image.byteCount)
          return room >= 0
        }
        if kept.count < group.finished.count { stop = reached(limit) }
      }
      let stored = try await settle(kept)
      try await store.recordImages(stored + group.outcomes, of: context.job.name)
      context.recorder.event(.images(context.recorder.snapshot().images))
      return .written(group, stop: stop, nil)
    } catch {
      return .written(group, stop: nil, error)
    }
  }

  private func settle(_ finished: [ImageLine.Finished]) async throws -> [ImageOutcome] {
    if finished.isEmpty { return [] }
    let settled = try await content.settle(finished.map(\.image))
    let entries = zip(finished, settled).map { ($0.due, $0.answer, $1) }
    context.recorder.change { facts in
      for (due, _, settled) in entries {
        let isNew = settled.placement == .new
        facts.images.fromNetwork += 1
        facts.images.bytes += settled.image.byteCount
        if !isNew { facts.images.sameBytes += 1 }
        if isNew, facts.images.newPaths.count < ImageTally.newPathsMax {
          facts.images.newPaths.append(ImageSample(path: settled.image.path, title: due.title))
        }
      }
    }
    return entries.map { due, answer, settled in
      .stored(
        identity: due.identity, StoredImageRow(settled.image), status: answer.status,
        etag: answer.fields["ETag"], lastModified: answer.fields["Last-Modified"])
    }
  }
}

extension StoredImage {
  /// Nil if the row is damaged.
  public init?(_ row: StoredImageRow) {
    self.init(
      digest: row.digest, mediaType: row.type, byteCount: row.size, width: row.width,
      height: row.height)
  }
}

extension StoredImageRow {
  init(_ image: StoredImage) {
    self.init(
      digest: image.digest.hex, path: image.path, size: image.byteCount,
      type: image.kind.mediaType, width: image.width, height: image.height)
  }
}

/// Signals to the image pass that a page was committed, or that no more will come. One listener.
final class PageSignal: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  let pages: AsyncStream<Void>

  init() {
    // One buffered signal is enough: the listener then takes all that is due.
    (pages, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func pageCommitted() { continuation.yield() }

  func end() { continuation.finish() }
}
