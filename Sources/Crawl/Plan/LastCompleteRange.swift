internal import Model
internal import Store

/// What an earlier walk of the same newest-first list covers, less the overlap.
enum LastCompleteRange {
  /// What is read up to an unproven stretch is read whole from time to time.
  private static let unprovenAgeMax = Duration.seconds(30 * 86_400)

  static func stretch(
    of stored: StoredCertificate?, stream: Stream, now: Instant
  ) -> TimeWindow? {
    guard stream.newestFirst != nil, let stored, stored.standing == .valid,
      let newest = stored.newest
    else { return nil }
    if stored.certificate.verdict != .complete, now - stored.wholeAt > unprovenAgeMax { return nil }
    let overlap = stream.window?.overlap ?? .zero
    // A record that is dated ahead of its time says nothing of those that came since.
    return TimeWindow(
      from: stored.oldest ?? Instant(milliseconds: .min), to: min(newest, stored.beganAt) - overlap)
  }
}
