internal import Base
internal import Crawl
internal import Store
internal import Walk

extension FurtherRequests {
  /// Whether the API understands how the job requests a time: that of a record of page 1 is requested, and its answer
  /// must not be empty. Later runs would read nothing, and believe it.
  /// - Returns: nil: nothing speaks against it, or there is no time to ask for.
  mutating func window(of look: Look, now: Instant) async -> String? {
    // A search leaves out what it likes.
    guard let rule = look.stream.window, let column = rule.column, !look.stream.isSearch else {
      return nil
    }
    let planner = WindowPlanner(rule)
    let times = look.sample?.times(in: column).filter { $0 < now - rule.delay }
    guard let times = times?.sorted(), !times.isEmpty else { return nil }
    // The newest may be changed right now, and without an end later records come, too.
    let time = look.stream.namesWindowEnd ? times[times.count / 2] : times[times.count - 1]
    // Begun as by a run: the API may leave out the time that a request begins with. Between the windows of a backfill
    // there is no overlap, and if they end a step before the next one, no shared time either.
    let isStepped = look.stream.namesWindowEnd && (rule.form.isOfDays || rule.step != nil)
    let overlap = isStepped ? .zero : rule.overlap
    let start = planner.roundedDown(time)
    let range = TimeWindow(
      from: planner.roundedDown(start - overlap), to: min(start + planner.step, now - rule.delay))
    guard planner.reachable(range, now: now).askable == range else { return nil }
    let facts = await read(look.stream) { parts in
      parts.options.window = range
      // Behind an empty page 1 the page before it is requested.
      parts.options.pagesMax = 2
    }
    guard let facts else { return nil }
    let certificates = facts.units.map(\.certificate)
    let asked =
      "window: page 1 has a record with \(column) \(time), and a request from \(range.from) to \(range.to)"
    let earlier =
      rule.form.isOfDays
      ? "name no zone in form"
      : "write overlap: \"\(planner.step.milliseconds / 1000)s\"\(isStepped ? ", and no step" : "")"
    // Days of no zone are requested a day wider already.
    let isWider = rule.form.isOfDays && rule.zone == nil
    let cure =
      "look at form, from, to and on"
      + (overlap < planner.step && !isWider
        ? "; if the API leaves out the time that a request begins with, \(earlier)" : "")
    if let refused = certificates.first(where: { $0.verdict == .failed && $0.pages == 0 }) {
      return "\(asked) failed: \(refused.why); \(cure)"
    }
    // An empty page that others follow, or that others precede, shows nothing.
    let isEmpty = certificates.allSatisfy {
      $0.pages > 0 && $0.counts.received == 0 && $0.verdict != .paused && $0.cause != .unread
    }
    return certificates.isEmpty || !isEmpty ? nil : "\(asked) brings none: \(cure)"
  }
}

extension StoredSample {
  fileprivate func times(in column: String) -> [Instant] {
    guard let at = columns.firstIndex(of: column) else { return [] }
    return rows.compactMap { $0[at].flatMap { Instant(rfc3339: $0) } }
  }
}
