internal import Base
internal import Store
internal import Walk

/// What an earlier walk of a newest-first list covers, less the overlap.
enum LastCompleteRange {
  /// After this time a list above an unproven stretch is read whole again.
  static let unprovenAgeMax = Duration.seconds(30 * 86_400)

  /// Whether a list that was once read whole is read only for new records: later walks cannot prove the rest. A list
  /// that the API cuts is read by windows.
  static func readsOnlyNew(_ stream: Stream) -> Bool {
    stream.newestFirst != nil || stream.window != nil && stream.cap == nil
  }

  /// How often a list of such a stream is read whole for its proof alone; nil: never.
  static func provesEvery(_ stream: Stream) -> Duration? {
    if let every = stream.provesEvery { return every }
    return readsOnlyNew(stream) && ProofOutlook(of: stream).proof != nil ? unprovenAgeMax : nil
  }

  /// - Parameters:
  ///   - last: that of the last walk, which may have ended above the stretch.
  ///   - isProofDue: an unproven stretch is to be read again, to prove it.
  static func stretch(
    of stored: StoredCertificate?, behind last: StoredCertificate?, stream: Stream, now: Instant,
    isProofDue: Bool
  ) -> TimeWindow? {
    guard stream.newestFirst != nil, let stored, stored.standing == .valid,
      let newest = stored.newest, last?.number == stored.number || last?.certificate.cause != .count
    else { return nil }
    let verdict = stored.certificate.verdict
    if verdict == .unproven, provesEvery(stream) != nil {
      // Counted from the last attempt, not the last whole walk, or a busy list would be read whole in each run.
      if isProofDue { return nil }
    } else if verdict != .complete, now - stored.wholeAt > mostAge(of: stored, now) {
      return nil
    }
    let overlap = stream.window?.overlap ?? .zero
    // A record with a future date says nothing of those that came since.
    return TimeWindow(
      from: stored.oldest ?? Instant(milliseconds: .min), to: min(newest, stored.beganAt) - overlap)
  }

  /// A record that did not fit may have been wrong for one night only: the list is read whole soon, then less and less
  /// often.
  private static func mostAge(of stored: StoredCertificate, _ now: Instant) -> Duration {
    guard stored.certificate.cause == .rejects, let at = stored.provingAt, !at.isAhead(of: now)
    else { return unprovenAgeMax }
    return min(unprovenAgeMax, (now - at) / 2)
  }
}
