internal import Base
internal import Store
internal import Walk

/// A search is walked again, window by window, where its job says so: what the walks have in common
/// tells how much it has to show.
extension FillWalk {
  /// Nothing is counted of a window whose walks were not all read to their end.
  func walkAgain(
    _ window: TimeWindow, after result: UnitWalk.Result, _ state: inout State
  ) async throws {
    guard plan.times > 1, case .all = result.found, !result.isCut, result.stop == nil else {
      return
    }
    var part = unit
    part.window = window
    var before = try await store.lastKeys(of: part, job: job.name)
    for number in 2...plan.times {
      let again = try await walk(window, &state, mayCut: false)
      state.account.add(again: again)
      guard again.stop == nil, case .all = again.found else { return }
      let keys = try await store.lastKeys(of: part, job: job.name)
      if number == plan.times {
        let estimate = SearchEstimate(
          before: before.count, again: keys.count, both: before.intersection(keys).count)
        state.account.estimate = state.account.estimate ?? SearchEstimate()
        state.account.estimate? += estimate
        try await store.note(estimate, of: key, range)
      }
      before.formUnion(keys)
    }
    try await remember(&state)
  }
}
