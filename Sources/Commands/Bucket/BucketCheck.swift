internal import Base
internal import Bucket

/// `trawl check --data s3://…`: whether the store keeps two workers apart, and its properties.
struct BucketCheck: Sendable {
  let place: BucketPlace
  let time: Timekeeper

  func findings() async throws -> [Finding] {
    let (place, time) = (place, time)
    let trial = try await place.blocking { () throws(BucketError) in
      try place.folder.tryStore(time)
    }
    let held = try await place.blocking { () throws(BucketError) in try place.folder.holder() }
    return [
      refusal(trial.refusesSecond, "a second object where one is (If-None-Match)"),
      refusal(trial.refusesStale, "a change of what has changed since (If-Match)"),
      .fine("latency", "\(trial.latency.milliseconds) ms a request"),
      clock(trial.ahead),
      .fine("claim", held.map { "held by \($0)" } ?? "nobody holds \(place.shown)"),
    ]
  }

  private func refusal(_ isRefused: Bool, _ what: String) -> Finding {
    isRefused
      ? .fine("store", "refuses \(what)")
      : .problem(
        "store", "takes \(what): two machines would both write \(place.shown)",
        cure: "use a store with conditional writes, or keep the data in a folder of one machine",
        .configuration)
  }

  private func clock(_ ahead: Duration?) -> Finding {
    guard let ahead else {
      return .problem(
        "clock", "the store answers without a date: a lease cannot be kept there", .configuration)
    }
    let side = ahead < .zero ? "behind" : "ahead of"
    let span = ahead < .zero ? .zero - ahead : ahead
    return span < .seconds(2)
      ? .fine("clock", "the store's agrees with this machine's")
      : .note(
        "clock",
        "the store's is \(Wording.span(span)) \(side) this machine's; leases go by the store's")
  }
}
