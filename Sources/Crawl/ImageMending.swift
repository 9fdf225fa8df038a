public import Media
public import Model
public import Store

/// Fetches files again that were damaged or deleted. What comes is accepted only if it has the very
/// digest that the file's name says.
public struct ImageMending: Sendable {
  public enum Outcome: Sendable, Equatable {
    case mended
    /// No row names the file any more; the next run fetches what is there now.
    case lost(why: String)
  }

  /// A host that did not answer so often in a row is left alone from then on.
  private static let hostFailuresMax = 3

  private let exchange: any Exchange
  private let content: ContentStore
  private let store: RecordStore
  private let settings: @Sendable (String) -> MediaSettings
  private let allowsLoopback: Bool
  private let failuresInARow = Locked<[String: Int]>([:])

  /// - Parameter settings: what a job by its name allows.
  public init(
    exchange: any Exchange, content: ContentStore, store: RecordStore, allowsLoopback: Bool,
    settings: @escaping @Sendable (String) -> MediaSettings
  ) {
    self.exchange = exchange
    self.content = content
    self.store = store
    self.settings = settings
    self.allowsLoopback = allowsLoopback
  }

  /// A wrong file may lie there still: what comes takes its place, so that no row is ever without a
  /// file. One that is lost has no row any more, and can be set aside.
  public func mend(_ image: StoredImage) async throws -> Outcome {
    var why = "no URL leads to it any more"
    // Each URL that led to the file is asked once, the latest first.
    for source in try await store.imageSources(of: image.digest.hex) {
      do {
        // A URL without a scheme takes the API's own.
        let address = try WebAddress(source.origin).resolving(source.url)
        let host = address.origin.description
        guard failuresInARow.withLock({ $0[host, default: 0] }) < Self.hostFailuresMax else {
          why = "\(host) did not answer for others"
          continue
        }
        let file = try await fetch(source, address)
        failuresInARow.withLock { $0[host] = nil }
        guard file.image.digest == image.digest else {
          why = "its server has other bytes now"
          continue
        }
        _ = try await content.settle([file])
        return .mended
      } catch let failure as ExchangeFailure {
        why = failure.sentence
        if failure.mayPass, let host = failure.address?.origin.description {
          failuresInARow.withLock { $0[host, default: 0] += 1 }
        }
      } catch let failure as ImageFailure {
        if case .store(let broken) = failure { throw broken }
        why = "its server has no such image now: \(failure)"
      } catch let problem as WebAddress.Problem {
        why = "\(problem)"
      }
    }
    try await store.forgetFiles([image.digest.hex])
    return .lost(why: why)
  }

  private func fetch(
    _ source: RecordStore.ImageSource, _ address: WebAddress
  ) async throws -> FinishedImage {
    let media = settings(source.job)
    let base = try WebAddress(source.origin)
    var limits = ImageLimits()
    limits.bytesMax = media.fileBytesMax
    let download = content.download(limits: limits)
    // Rows of an imitation on this machine have their images there as well.
    let request = ImageRequest(
      media: media, allowsLoopback: allowsLoopback || base.origin.isLoopback
    ).request(for: address)
    do {
      let answer = try await exchange.send(request, into: download)
      guard answer.kind == .content else {
        throw ExchangeFailure(
          .cut, cause: .status, sentence: "its server answers with status \(answer.status)")
      }
    } catch let failure as ExchangeFailure {
      // The sink knows better why it refused the rest.
      guard failure.kind == .sinkRefused else { throw failure }
    }
    return try download.finish()
  }
}
