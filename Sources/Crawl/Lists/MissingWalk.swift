internal import Base
internal import Store
internal import Walk

/// Requests one by one the records that a walk without a proof did not return. Only those that the API says are gone
/// are marked. The list has been read, so this never pauses the run or fails the list.
struct MissingWalk {
  let context: RunContext
  let question: RecordQuestion
  let spends: [String: Int]
  /// The values that the list itself is requested with.
  let request: [ParameterValue]
  let label: UnitLabel
  /// When the list's walk began, by the run's clock.
  let began: Duration

  /// Records requested in one run, over all its lists: each costs a request, and a list that returns only half of its
  /// records must not use up a quota.
  static let recordsMax = 20
  /// Control records, just received, that are requested before any record counts as gone.
  static let controlsMost = 3
  /// After this many inconclusive answers in a row it stops.
  static let unknownInARowMax = 3

  /// The reason why no further record is requested.
  private struct Ended: Error {
    var why: String
    var isBroken = false
  }

  func walk(_ missing: MissingRecords, of id: UnitID) async throws(StoreError) -> MissingTally {
    var tally = MissingTally(missing: missing.count, withheld: missing.withheld)
    var unknownInARow = 0
    let controls = missing.records.isEmpty ? [] : missing.controls
    guard try await believes(controls, of: id, &tally) else { return tally }
    for record in missing.records {
      if unknownInARow >= Self.unknownInARowMax {
        tally.why = "\(unknownInARow) answers in a row said nothing"
        break
      }
      // Other lists may ask at the same time.
      guard context.questions.book(most: Self.recordsMax) else { break }
      guard let finding = await finding(of: record, &tally) else { return tally }
      if case .unknown(let why) = finding {
        tally.unknown += 1
        unknownInARow += 1
        context.recorder.story("\(label.listName): of \(record.name) nothing is known: \(why).")
        continue
      }
      unknownInARow = 0
      if finding == .gone { tally.gone += 1 } else { tally.present += 1 }
      try await context.store.settle(record, isGone: finding == .gone, of: id)
    }
    if tally.waiting > 0, tally.why.isEmpty {
      tally.why = "a run asks for \(Self.recordsMax) at most, over all of its lists"
    }
    return tally
  }

  /// Whether the API's word on who is gone is believed: it must say of a record just received that it exists. Another
  /// control is requested only if the one before is said to be gone.
  private func believes(
    _ controls: [MissingRecord], of id: UnitID, _ tally: inout MissingTally
  ) async throws(StoreError) -> Bool {
    for control in controls {
      guard let finding = await finding(of: control, &tally) else { return false }
      try await context.store.settle(control, isGone: false, of: id)
      tally.why = doubt(finding, control) ?? ""
      if finding != .gone { break }
    }
    return tally.why.isEmpty
  }

  /// Nil: nothing more is requested, and the tally says why.
  private func finding(
    of record: MissingRecord, _ tally: inout MissingTally
  ) async -> RecordQuestion.Finding? {
    do { return try await ask(record) } catch {
      (tally.why, tally.isBroken) = (error.why, error.isBroken)
      return nil
    }
  }

  /// Why no answer is believed, if a record just received is not confirmed.
  private func doubt(_ finding: RecordQuestion.Finding, _ control: MissingRecord) -> String? {
    switch finding {
    case .present, .renewed: nil
    case .gone:
      "\(control.name) was just received, and is said to be gone, too: that is not believed"
    case .unknown(let why):
      "nothing is known of \(control.name) either, who was just received: \(why)"
    }
  }

  private func ask(_ record: MissingRecord) async throws(Ended) -> RecordQuestion.Finding {
    guard question.hasLookup else { return try await send(record, record.values) }
    let first = try await send(record, record.values, isLookup: true)
    guard case .renewed(let before) = first else { return first }
    let finding = try await send(record, record.values.merging(before) { $1 })
    guard finding == .gone else { return finding }
    // The record may have been renamed between the two requests.
    let second = try await send(record, record.values, isLookup: true)
    guard case .renewed(let names) = second else { return second }
    return names.mapValues { ExactText($0) } == before.mapValues { ExactText($0) }
      ? finding : .unknown("it got another name while it was asked for")
  }

  private func send(
    _ record: MissingRecord, _ values: [String: String], isLookup: Bool = false
  ) async throws(Ended) -> RecordQuestion.Finding {
    let address: WebAddress
    do {
      address = try question.address(isLookup: isLookup, record: values, request: request)
    } catch {
      return .unknown(error.sentence)
    }
    // A cached copy from before the walk confirms nothing.
    let asked = context.request(address).pastCaches
    let call = Call<RecordQuestion.Finding>(
      request: asked, booking: context.booking(spends), patience: .question(context.options),
      label: label, name: "\(label.listName): is \(record.name) still there", tally: context.tally
    ) { number in
      Attempt { [question, time = context.time, began] in
        question.read($0, isLookup: isLookup, attempt: number, since: time.elapsed() - began)
      }
    }
    switch await context.requester.perform(call) {
    case .value(let finding): return finding
    case .decided(let decision, _): return .unknown(decision.message)
    case .givenUp(_, let message, _): return .unknown(message)
    case .stopped(let stop): throw Ended(why: stop.message)
    case .unreachable(let message): throw Ended(why: message)
    case .broken(let error): throw Ended(why: "\(error)", isBroken: true)
    }
  }
}
