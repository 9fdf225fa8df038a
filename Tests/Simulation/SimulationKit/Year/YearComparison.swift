internal import Base

/// Compares the database after a run with the world: every row, first sight, change, counter, membership and vanishing.
/// A run may only know what it was shown.
struct YearComparison {
  let before: YearBook
  let after: YearBook
  /// The world after the run.
  let world: YearWorld.State
  /// The machine's clock and the true time, from the start of the run to its end.
  let times: [ClosedRange<Instant>]
  /// The run finished by itself: it must have stored what it was shown.
  let isWhole: Bool

  private var run: YearWorld.Run { world.run }

  func problems() -> [String] {
    var problems: [String] = []
    for table in YearBook.tables { problems += rows(table) }
    for list in world.lists.keys.sorted() where list != "groups" {
      problems += sights(list) + vanishings(list)
    }
    for certificate in fresh where certificate.verdict == "complete" && !certificate.isWindow {
      problems += complete(certificate)
    }
    return problems + counters() + pictures()
  }

  /// The run's own certificates.
  var fresh: [YearBook.Certificate] {
    let last = before.certificates.last?.number ?? 0
    return after.certificates.filter { $0.number > last }
  }

  private func isNow(_ text: String) -> Bool {
    guard let at = Instant(rfc3339: text) else { return false }
    // Stored times may have whole seconds.
    return times.contains { $0.lowerBound - .seconds(1) <= at && at <= $0.upperBound + .seconds(1) }
  }

  /// What only holds if nothing kept the run from reading everything.
  /// - Parameter certificate: the last one before the night's first start.
  func problemsOfClearNight(
    _ night: YearPlan.Night, at now: Instant, since certificate: Int64
  ) -> [String] {
    var problems: [String] = []
    let missing = world.owed.filter { after.rows["news"]?[$0] == nil }.sorted()
    if !missing.isEmpty { problems.append("news \(missing) are not there") }
    let oldest = now - .seconds(YearJob.staleDays * 86_400 + 3600)
    let disturbed = [night.drift?.list, night.event?.list]
    let undisturbed = world.lists.keys.filter { !disturbed.contains($0) }.sorted()
    for list in undisturbed where list.hasPrefix("items") && !after.live(list).isEmpty {
      for key in world.lists[list]?.present(since: run.versions[list] ?? 0).sorted() ?? []
      where world.detailed[key].map({ $0 < oldest }) ?? true {
        let since = world.detailed[key].map { "since \($0)" } ?? "ever"
        problems.append("item \(key) of \(list) was asked for no details \(since)")
      }
    }
    for list in before.places.keys.sorted() where !disturbed.contains(list) {
      // Another start in the same night may have read it minutes ago.
      let read = after.certificates.last { $0.list == list && $0.number > certificate }
      guard let last = read else {
        problems.append("\(list) has no new certificate")
        continue
      }
      if !["complete", "unproven"].contains(last.verdict), !last.isDoubtful {
        problems.append("\(list) is \(last.verdict) (\(last.cause)) in a quiet night: \(last.why)")
      }
    }
    for list in world.lists.keys.sorted()
    where list.hasPrefix("members") && night.event?.list != YearTrouble.pictures {
      for key in after.live(list).sorted() {
        guard let photo = after.rows["people"]?[key]?.photo, !after.pictures.contains(photo),
          !world.lacking.contains(photo)
        else { continue }
        problems.append("the picture \(photo) of \(key) in \(list) is not there")
      }
    }
    return problems
  }

  /// Requested pictures of people who are gone.
  private func pictures() -> [String] {
    let lists = world.lists.keys.filter { $0.hasPrefix("members") }
    return run.asked.compactMap { asked in
      guard asked.hasPrefix("img.example/p/"),
        let key = Int(asked.dropFirst(14).prefix { $0.isNumber }), run.shown["people"]?[key] == nil,
        !lists.contains(where: { before.isLive(key, in: $0) }),
        // A record that left its last list stays until the others were read.
        before.rows["people"]?[key]?.vanished != nil
      else { return nil }
      return "\(asked) was asked for, and is of nobody in a list"
    }
  }

  // MARK: records

  private func isRestless(_ list: String) -> Bool {
    if case .neverRests(let other) = world.night.event { other == list } else { false }
  }

  private func rows(_ table: String) -> [String] {
    var problems: [String] = []
    let (old, new) = (before.rows[table, default: [:]], after.rows[table, default: [:]])
    let shown = run.shown[table, default: [:]]
    for key in old.keys.sorted() where new[key] == nil {
      problems.append("\(table) \(key) is lost")
    }
    // If a list changes with each request, a page may be replaced.
    if isWhole, !isRestless(table) {
      let keys = table == "news" ? Array(run.news) : Array(shown.keys)
      for key in keys.sorted() where new[key] == nil {
        problems.append("\(table) \(key) was shown, and is not there")
      }
    }
    for (key, row) in new.sorted(by: { $0.key < $1.key }) {
      let one = "\(table) \(key)"
      guard let past = old[key] else {
        let isShown = table == "news" ? run.news.contains(key) : shown[key] != nil
        if !isShown { problems.append("\(one) was never shown") }
        if !isNow(row.firstSeen) {
          problems.append("\(one) is new, and first seen at \(row.firstSeen), not in \(times)")
        }
        continue
      }
      if row.firstSeen != past.firstSeen {
        problems.append("\(one) was first seen at \(past.firstSeen), and now at \(row.firstSeen)")
      }
      guard table != "news" else { continue }
      problems += values(one, row, past, shown[key, default: []], details(table, key))
    }
    return problems
  }

  private func details(_ table: String, _ key: Int) -> [YearWorld.Record] {
    table == "items" ? run.shown["details", default: [:]][key, default: []] : []
  }

  private func values(
    _ one: String, _ row: YearBook.Row, _ past: YearBook.Row, _ shown: [YearWorld.Record],
    _ details: [YearWorld.Record]
  ) -> [String] {
    var problems: [String] = []
    func check<T: Equatable>(_ what: String, _ now: T?, _ old: T?, _ all: [T]) {
      let isRight =
        isWhole && !all.isEmpty ? now == all.last : now == old || all.contains { $0 == now }
      if isRight { return }
      let last = all.last.map { "\($0)" } ?? "nothing"
      problems.append("\(one): \(what) is \(now.map { "\($0)" } ?? "NULL"), shown was \(last)")
    }
    // Empty: it came under another name.
    check("name", row.name, past.name, shown.map(\.name).filter { !$0.isEmpty })
    check("photo", row.photo, past.photo, shown.compactMap(\.photo))
    check("detail", row.detail, past.detail, details.map { "\($0.detail)" })
    if !one.hasPrefix("people"), !one.hasPrefix("groups") {
      check("views", row.views, past.views, shown.map(\.views))
    }
    let isChanged =
      row.name != past.name || row.photo != past.photo || row.detail != past.detail
    // A detail that arrives for the first time was missing before.
    if isChanged, !(row.changed.map(isNow) ?? false), past.detail != nil || row.detail == nil {
      problems.append("\(one) has changed, and changed_at is \(row.changed ?? "NULL")")
    } else if !isChanged, row.changed != past.changed {
      problems.append("\(one) has not changed, and changed_at is \(row.changed ?? "NULL")")
    }
    return problems
  }

  private func counters() -> [String] {
    var problems: [String] = []
    for table in YearBook.long + ["items"] {
      for (key, row) in after.rows[table, default: [:]].sorted(by: { $0.key < $1.key }) {
        let history = after.counters[table]?[key] ?? []
        let old = before.counters[table]?[key] ?? []
        // Compared by value: a clock that was ahead put its times before later ones.
        let fresh = old.reduce(into: history) { rest, value in
          if let at = rest.firstIndex(of: value) { rest.remove(at: at) }
        }
        if fresh.count != history.count - old.count {
          problems.append("the counter of \(table) \(key) lost some of \(old): \(history)")
        }
        if let views = row.views, !history.contains(views) {
          problems.append("\(table) \(key) has \(views) views, its history \(history)")
        }
        let shown = Set(run.shown[table]?[key]?.map(\.views) ?? [])
        if !Set(fresh).isSubset(of: shown) {
          problems.append(
            "the counter of \(table) \(key) was never \(fresh), but \(shown.sorted())")
        }
      }
    }
    return problems
  }

  // MARK: lists

  private func sights(_ list: String) -> [String] {
    var problems: [String] = []
    for (key, place) in after.places[list, default: [:]].sorted(by: { $0.key < $1.key }) {
      if let past = before.places[list]?[key] {
        if past.firstSeen != place.firstSeen {
          problems.append(
            "\(key) of \(list) was first seen at \(past.firstSeen), not \(place.firstSeen)")
        }
        if past.vanished != nil, place.vanished == nil, !run.listed[list, default: []].contains(key)
        {
          problems.append("\(key) of \(list) came back, and was not shown")
        }
        continue
      }
      if !run.listed[list, default: []].contains(key) {
        problems.append("\(key) of \(list) was never shown")
      }
      if !isNow(place.firstSeen) {
        problems.append("\(key) of \(list) is new, and first seen at \(place.firstSeen)")
      }
    }
    for key in before.places[list, default: [:]].keys where after.places[list]?[key] == nil {
      problems.append("\(key) of \(list) is lost")
    }
    return problems
  }

  private func vanishings(_ list: String) -> [String] {
    guard let truth = world.lists[list], !isLied(list) else { return [] }
    var problems: [String] = []
    let there = truth.present(since: run.versions[list] ?? .max)
    for (key, place) in after.places[list, default: [:]].sorted(by: { $0.key < $1.key }) {
      guard let vanished = place.vanished, before.places[list]?[key]?.vanished != vanished else {
        continue
      }
      if there.contains(key) {
        problems.append("\(key) of \(list) is marked as gone, and was there")
      }
      if !isNow(vanished) { problems.append("\(key) of \(list) is gone since \(vanished)") }
    }
    return problems
  }

  private func isLied(_ list: String) -> Bool {
    guard let answer = world.night.event?.answer(to: list) else { return false }
    // Fewer than thirty percent may leave, and nothing in a list by tokens shows another end.
    if case .cut(let percent) = answer { return list == "deep" && percent > 70 }
    return answer.isLie
  }

  private func complete(_ certificate: YearBook.Certificate) -> [String] {
    guard let truth = world.lists[certificate.list], certificate.list != "groups",
      !isLied(certificate.list)
    else { return [] }
    var problems: [String] = []
    let began = world.walkBegan[certificate.list] ?? truth.version
    let live = after.live(certificate.list)
    let missing = truth.present(since: began).subtracting(live)
    if !missing.isEmpty {
      problems.append("\(certificate.list) is complete without \(missing.sorted())")
    }
    let extra = live.subtracting(truth.seen(since: began))
    // In the night of a new key nothing is marked as vanished.
    let waits = ["gone; the next walk decides", "of what was asked for before"]
    if !extra.isEmpty, !waits.contains(where: certificate.why.contains) {
      let what = certificate.withheld > 0 ? ", withheld and cited" : ""
      problems.append("\(certificate.list) is complete with \(extra.sorted()), who had left\(what)")
    }
    return problems
  }
}
