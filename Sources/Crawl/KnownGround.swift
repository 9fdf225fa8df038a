internal import Model
internal import Store

/// What an earlier complete walk of the same newest-first list covers, less the overlap.
enum KnownGround {
  static func stretch(of stored: StoredCertificate?, stream: Stream) -> TimeWindow? {
    guard stream.newestFirst != nil, let stored, stored.standing == .valid,
      let newest = stored.newest
    else { return nil }
    let overlap = stream.window?.overlap ?? .zero
    return TimeWindow(from: stored.oldest ?? Instant(milliseconds: .min), to: newest - overlap)
  }
}
