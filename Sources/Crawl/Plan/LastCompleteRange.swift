internal import Model
internal import Store

/// What an earlier complete walk of the same newest-first list covers, less the overlap.
enum LastCompleteRange {
  static func stretch(of stored: StoredCertificate?, stream: Stream) -> TimeWindow? {
    guard stream.newestFirst != nil, let stored, stored.standing == .valid,
      let newest = stored.newest
    else { return nil }
    let overlap = stream.window?.overlap ?? .zero
    // A record that is dated ahead of its time says nothing of those that came since.
    return TimeWindow(
      from: stored.oldest ?? Instant(milliseconds: .min), to: min(newest, stored.beganAt) - overlap)
  }
}
