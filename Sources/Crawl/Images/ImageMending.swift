public import Base
public import Media
public import Store

/// Fetches damaged or deleted files again. A download is accepted only if its digest is the one in the file's name.
public struct ImageMending: Sendable {
  public enum Outcome: Sendable, Equatable {
    case mended
    /// The next run fetches what is there now. No row names a file with wrong bytes any longer.
    case lost(why: String)
    /// A signal came.
    case stopped
  }

  private let requester: Requester
  private let content: ContentStore
  private let store: RecordStore
  private let settings: @Sendable (String) -> MediaSettings
  private let allowsLoopback: Bool
  private let hosts = PictureHosts(failuresMax: 3)

  /// - Parameter settings: a job's media settings, by name.
  public init(
    requester: Requester, content: ContentStore, store: RecordStore, allowsLoopback: Bool,
    settings: @escaping @Sendable (String) -> MediaSettings
  ) {
    self.requester = requester
    self.content = content
    self.store = store
    self.settings = settings
    self.allowsLoopback = allowsLoopback
  }

  /// A download replaces a damaged file in place, so that no row is ever without a file. A lost damaged file loses its
  /// row and can be set aside; a missing one keeps its row, since it may come back.
  public func mend(_ image: StoredImage, isMissing: Bool) async throws -> Outcome {
    let sources = try await store.imageSources(of: image.digest.hex)
    var why = "no URL leads to it any more"
    // Each URL that led to the file is requested once, the latest first.
    for source in sources {
      let address: WebAddress
      do {
        // A URL without a scheme uses the API's.
        address = try WebAddress(source.origin).resolving(source.url)
      } catch {
        why = "\(error)"
        continue
      }
      switch await fetch(source, address) {
      case .stored(let file, _):
        guard file.image.digest == image.digest else {
          why = "its server has other bytes now"
          continue
        }
        _ = try await content.settle([file])
        try await store.noteFound([image.digest.hex])
        return .mended
      case .unchanged: why = "its server says that it has not changed, unasked"
      case .refused(let reason, _): why = "its server has no such image now: \(reason)"
      case .failed(_, _, let sentence): why = sentence
      case .postponed(let reason, _): why = "\(address.origin): \(reason)"
      case .broken(let error): throw error
      case .stopped: return .stopped
      }
    }
    if isMissing, !sources.isEmpty {
      try await store.wantFiles([image.digest.hex])
    } else {
      try await store.forgetFile(image.digest.hex)
    }
    return .lost(why: why)
  }

  private func fetch(
    _ source: RecordStore.ImageSource, _ address: WebAddress
  ) async -> PictureFetch.Fetched {
    await PictureFetch(
      requester: requester, hosts: hosts, content: content, media: settings(source.job),
      allowsLoopback: allowsLoopback,
      // An origin that cannot be parsed allows nothing.
      origin: try? WebAddress(source.origin).origin
    ).fetch(address)
  }
}
