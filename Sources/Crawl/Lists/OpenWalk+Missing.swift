internal import Base
internal import Store
internal import Walk

/// Records that are gone, and those only missing.
extension OpenWalk {
  /// Requests the records that the walk lacks, if the job says how and no proof holds.
  mutating func confirmMissing(_ certificate: Certificate) async throws(StoreError) {
    guard let question = RecordQuestion(context.job, stream), part == nil,
      let records = try await store.missing(
        id, after: certificate, accepting: context.options.acceptedVanish ?? 0,
        left: MissingWalk.recordsMax - context.questions.count,
        of: context.job.streams.filter { $0.confirmation != nil }.map(\.name))
    else { return }
    let tally = try await MissingWalk(
      context: context, question: question, spends: stream.spends,
      request: walk.unit.values, label: label, began: began
    ).walk(records, of: id)
    missing = tally
    guard tally.missing > 0 else { return }
    let sentence = tally.sentence
    context.recorder.story("\(label.listName): \(sentence).")
    if tally.isOpen { context.recorder.warn(sentence, about: label) }
  }

  func tellGone(_ done: CertifiedUnit, _ certificate: Certificate) {
    if done.vanished > 0, missing == nil {
      let gone = "\(done.vanished) \(done.vanished == 1 ? "is" : "are") gone from the list"
      context.recorder.story("\(label.listName): \(gone).")
    }
    if certificate.cause == .empty, certificate.counts.received == 0, part == nil, done.rows > 0,
      stream.marksVanished
    {
      context.recorder.warn(
        "the list was empty: nothing was marked. If it is true: --accept-vanish \(done.rows)",
        about: label)
    }
    guard done.withheld > 0 else { return }
    let isEmpty = certificate.counts.received == 0
    let rows = Wording.count(done.withheld, "row looks", "rows look") + " gone"
    let together = done.withheld == 1 ? "had a page of its own" : "were together"
    let why =
      isEmpty
      ? "the list was empty"
      : done.areTogether ? "and \(together); the next walks decide" : "too many to be plausible"
    context.recorder.warn(
      missing == nil
        ? "\(rows)\(isEmpty ? ":" : ",") \(why); nothing was marked. If it is "
          + "true: --accept-vanish \(done.withheld)"
        : "\(rows)\(isEmpty ? ":" : ",") \(why); none was asked for. If it may "
          + "be true: --accept-vanish \(done.withheld) asks for \(MissingWalk.recordsMax) in each run",
      about: label)
  }
}
