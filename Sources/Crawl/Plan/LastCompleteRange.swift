internal import Model
internal import Store

/// What an earlier walk of the same newest-first list covers, less the overlap.
enum LastCompleteRange {
  /// What is read up to a stretch that is not proven is read whole from time to time.
  static let unprovenAgeMax = Duration.seconds(30 * 86_400)

  /// - Parameter isProofDue: an unproven stretch is to be read again, to prove it.
  static func stretch(
    of stored: StoredCertificate?, stream: Stream, now: Instant, isProofDue: Bool
  ) -> TimeWindow? {
    guard stream.newestFirst != nil, let stored, stored.standing == .valid,
      let newest = stored.newest
    else { return nil }
    let verdict = stored.certificate.verdict
    if verdict != .complete, now - stored.wholeAt > unprovenAgeMax { return nil }
    if verdict == .unproven, isProofDue { return nil }
    let overlap = stream.window?.overlap ?? .zero
    // A record that is dated ahead of its time says nothing of those that came since.
    return TimeWindow(
      from: stored.oldest ?? Instant(milliseconds: .min), to: min(newest, stored.beganAt) - overlap)
  }
}
