internal import Base
internal import Store
internal import Walk

/// What an earlier walk of the same newest-first list covers, less the overlap.
enum LastCompleteRange {
  /// What is read up to a stretch that is not proven is read whole from time to time.
  static let unprovenAgeMax = Duration.seconds(30 * 86_400)

  /// Once a list was read whole, only what is new is: no later walk of it can prove the rest. A list that the
  /// API cuts is read by its windows.
  static func readsOnlyNew(_ stream: Stream) -> Bool {
    stream.newestFirst != nil || stream.window != nil && stream.cap == nil
  }

  /// How often a list of such a stream is read for its proof alone; nil: no reading of it is for that.
  static func provesEvery(_ stream: Stream) -> Duration? {
    if let every = stream.provesEvery { return every }
    return readsOnlyNew(stream) && ProofOutlook(of: stream).proof != nil ? unprovenAgeMax : nil
  }

  /// - Parameters:
  ///   - last: of the last walk, which may have ended above the stretch.
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
      // How long ago it was last tried counts, not how long ago it was whole: a busy list would be
      // read whole in each run.
      if isProofDue { return nil }
    } else if verdict != .complete, now - stored.wholeAt > mostAge(of: stored, now) {
      return nil
    }
    let overlap = stream.window?.overlap ?? .zero
    // A record that is dated ahead of its time says nothing of those that came since.
    return TimeWindow(
      from: stored.oldest ?? Instant(milliseconds: .min), to: min(newest, stored.beganAt) - overlap)
  }

  /// A record that did not fit may have come as something else for a night: the list is read whole soon, and then
  /// less and less often.
  private static func mostAge(of stored: StoredCertificate, _ now: Instant) -> Duration {
    guard stored.certificate.cause == .rejects, let at = stored.provingAt, !at.isAhead(of: now)
    else { return unprovenAgeMax }
    return min(unprovenAgeMax, (now - at) / 2)
  }
}
