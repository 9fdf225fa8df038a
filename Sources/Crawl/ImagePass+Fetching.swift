internal import Media
internal import Model
internal import Store
internal import Walk

/// One image: asked, checked while it comes, and what is to be remembered of it.
extension ImagePass {
  /// Tries of one image in one run, where the network failed.
  private static let triesMax = 3

  func host(of image: ImageDue) -> String {
    // What is no URL fails by itself, and no host is to blame.
    (try? context.job.base.resolving(image.url).origin.description) ?? ""
  }

  func postponed(_ image: ImageDue) -> ImageLine.Fetched {
    let reason = "its host does not answer"
    context.recorder.change { $0.images.refused[reason, default: 0] += 1 }
    return .failed(.postponed(identity: image.identity, reason: reason))
  }

  func one(_ image: ImageDue) async -> ImageLine.Fetched {
    let address: WebAddress
    do {
      // A URL without a scheme takes the API's own.
      address = try context.job.base.resolving(image.url)
    } catch {
      return .outcome(
        refused(image, status: nil, "not a URL that can be fetched", isForGood: true))
    }
    var last = ""
    var status: Int?
    tries: for attempt in 1...Self.triesMax {
      if context.isInterrupted() || (attempt > 1 && context.lateness != nil) { return .notAsked }
      if attempt > 1 {
        let wait = context.backoff.wait(
          afterTries: attempt, elapsed: .zero, random: context.time.random())
        do { try await context.time.sleep(wait ?? .seconds(1)) } catch { return .notAsked }
      }
      switch await attemptOnce(image, address) {
      case .success(let fetched): return fetched
      case .failure(let failure):
        if failure.kind == .cancelled || failure.kind == .closed { return .notAsked }
        last = reason(failure)
        status = failure.status
        if !failure.mayPass { return .outcome(refused(image, status: status, last)) }
        // It had its time: once more would take as long.
        if failure.kind == .timedOut || failure.kind == .stalled { break tries }
      }
    }
    return .failed(refused(image, status: status, last))
  }

  private func attemptOnce(
    _ image: ImageDue, _ address: WebAddress
  ) async -> Result<ImageLine.Fetched, ExchangeFailure> {
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
        let sentence = "status \(answer.status)"
        return .success(.outcome(refused(image, status: answer.status, sentence)))
      }
    } catch {
      // The sink knows better why it refused the rest.
      if error.kind == .sinkRefused { return .success(finish(image, download, nil)) }
      return .failure(error)
    }
  }

  private func finish(
    _ image: ImageDue, _ download: ImageDownload, _ answer: Answer?
  ) -> ImageLine.Fetched {
    do {
      let file = try download.finish()
      guard let answer else {
        return .outcome(refused(image, status: nil, "the body was refused"))
      }
      return .stored(file, answer)
    } catch {
      switch error {
      case .store(let broken): return .broken(broken)
      case .refused(let refusal):
        return .outcome(refused(image, status: answer?.status, refusal.code))
      }
    }
  }

  private func request(_ image: ImageDue, _ address: WebAddress) -> Request {
    var fields: [HeaderField] = []
    if let etag = image.etag { fields.append(HeaderField("If-None-Match", etag)) }
    if let date = image.lastModified { fields.append(HeaderField("If-Modified-Since", date)) }
    return ImageRequest(
      media: context.job.media, allowsLoopback: context.options.allowsLoopback,
      times: context.options.imageTimes
    ).request(for: address, fields)
  }

  private func reason(_ failure: ExchangeFailure) -> String {
    switch failure.kind {
    case .refusedAddress: "address not allowed"
    case .tooLarge: ImageRefusal.tooManyBytes(max: context.job.media.fileBytesMax).code
    case .refusedRedirect: "redirect not allowed"
    case .timedOut: "timed out"
    // A whole answer came, and it was an error.
    case .cut where failure.cause == .server: failure.sentence
    default: failure.kind.rawValue
    }
  }

  private func refused(
    _ image: ImageDue, status: Int?, _ reason: String, isForGood: Bool = false
  ) -> ImageOutcome {
    context.recorder.change { $0.images.refused[reason, default: 0] += 1 }
    return .refused(
      identity: image.identity, status: status, reason: reason, mayBeAskedAgain: !isForGood)
  }
}
