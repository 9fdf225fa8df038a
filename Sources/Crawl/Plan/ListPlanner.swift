public import Base
public import Walk

/// Turns what a person set into the lists that a run walks, in order.
public struct ListPlanner: Sendable {
  let job: Job
  let options: CrawlOptions

  public init(job: Job, options: CrawlOptions) {
    self.job = job
    self.options = options
  }

  /// Streams by name, with those that they take values from.
  public func withParents(_ names: [String]) -> [String] {
    var all = names
    for name in names {
      all += job.stream(name).map(sources)?.filter { !all.containsBytes($0) } ?? []
    }
    return all.count == names.count ? all : withParents(all)
  }

  /// Whether this run walks a stream at all.
  func isChosen(_ stream: Stream) -> Bool { options.streams.takes(stream.name) }

  /// Checks every known value before a request: a bad one ends the run with nothing sent.
  public func check() throws(StepProblem) {
    for stream in job.streams
    where isChosen(stream) && (stream.parent == nil || stream.isAskedInBatches) {
      let known = given.mapValues { values in
        values.compactMap { if case .text(let text) = GivenValue($0) { text } else { nil } }
      }
      if options.window == nil, needsWindow(stream) { continue }
      if let feed = stream.parent {
        if let why = whyNotSet(stream) { throw StepProblem(why) }
        let extra = feed.given.map { ParameterValue($0, "") }
        if let why = Self.whySeveral(stream, lists(of: stream, values: known, extra: extra)) {
          throw StepProblem(why)
        }
        continue
      }
      for var list in lists(of: stream, values: known) {
        if stream.window != nil { list.window = options.window }
        _ = try StepBuilder(job: job, stream: stream, unit: list)
      }
    }
  }

  /// Whether the run was given other values than the job's own.
  func isSetOtherwise(_ name: String) -> Bool {
    options.values[name].map { $0 != job.parameters.first { $0.name == name }?.defaults } ?? false
  }

  /// Rows of single answers record the parent's value, not what one run was given besides.
  private func whyNotSet(_ stream: Stream) -> String? {
    guard stream.marksVanished else { return nil }
    let set = stream.holes.compactMap { job.parameter(filling: $0) }.first { parameter in
      !parameter.defaults.isEmpty && isSetOtherwise(parameter.name)
    }
    return set.map {
      "\(stream.name) marks as gone what its answers lack, and --set \($0.name) would have the records of "
        + "another value marked; write the value into params of the job, or leave the stream out (--stream)"
    }
  }

  /// A parent's value is due, and one answer for it ends that.
  static func whySeveral(_ stream: Stream, _ lists: [Unit]) -> String? {
    guard stream.isAskedInBatches, lists.count > 1 else { return nil }
    let names = lists.map { $0.parameterText(besides: stream.parent?.given ?? []) }
    return
      "the stream \(stream.name) requests one answer for each record of its parent, and the values name "
      + "\(names.count) (\(names[0]), \(names[1])…); set one value of each parameter, or give the stream pages"
  }

  /// The parameters of a stream's lists that a run walks, if values name them; nil if stored records do: then every
  /// list of the stream counts.
  public func named(_ stream: Stream) -> Set<String>? {
    guard isChosen(stream) else { return [] }
    let isByRecords = stream.parent != nil || !sources(of: stream).isEmpty
    return isByRecords ? nil : Set(lists(of: stream, values: given).map(\.parameterText))
  }

  /// What `--set` gave, else the job's defaults, unresolved.
  var given: [String: [String]] {
    var values: [String: [String]] = [:]
    for parameter in job.parameters {
      values[parameter.name] = options.values[parameter.name] ?? parameter.defaults
    }
    return values
  }

  /// Whether a request of the stream cannot be built without a window.
  func needsWindow(_ stream: Stream) -> Bool {
    stream.window != nil && stream.holes.contains { Self.ends.contains($0) }
  }

  private static let ends: Set<String> = ["from", "to"]

  /// Whether a run begins its lists without a backfill; lists of another stream's records wait for one.
  func beginsWithLastDay(_ stream: Stream) -> Bool {
    needsWindow(stream) && stream.parent == nil && !options.isRefill
  }

  /// The parameters of a stream that lack a value.
  func missing(_ stream: Stream) -> [String] {
    var missing: [String] = []
    for hole in stream.holes where stream.window == nil || !Self.ends.contains(hole) {
      let name = job.parameter(filling: hole)?.name ?? hole
      if stream.parent?.given.contains(hole) != true, !stream.mayBeEmpty(hole),
        (given[name] ?? []).isEmpty, !missing.contains(name)
      {
        missing.append(name)
      }
    }
    return missing
  }

  /// What a run needs before any request: for each stream without a parent, the parameters without a value. Empty if
  /// one stream has all its values.
  public var lacking: [[String]] {
    let all = job.streams.filter { isChosen($0) && $0.parent == nil }.map(missing)
    return all.contains { $0.isEmpty } ? [] : all
  }

  /// `trawl run mastodon --set tag=TAG, or --set user=USER`: the command to type.
  public var lineForLacking: String {
    var ways: [String] = []
    for names in lacking {
      let way = names.map { "--set \($0)=\($0.uppercased())" }.joined(separator: " ")
      if !ways.contains(way) { ways.append(way) }
    }
    let streams = options.streams.map { " --stream \($0)" }.joined()
    return "trawl run \(job.word)\(streams) \(ways.joined(separator: ", or "))"
  }

  /// The lists that a stream's values name: the product of its holes' values, without windows. None if a hole has no
  /// value: the stream rests.
  func lists(
    of stream: Stream, values: [String: [String]], extra: [ParameterValue] = []
  ) -> [Unit] {
    var combinations: [[ParameterValue]] = [[]]
    let ends = stream.window == nil ? [] : Self.ends
    for hole in stream.holes where !ends.contains(hole) {
      if let fixed = extra.first(where: { $0.name == hole }) {
        combinations = combinations.map { $0 + [fixed] }
        continue
      }
      if let whole = job.parameter(filling: hole), whole.splits != nil {
        // Its parts come together, at the first of them.
        if combinations.contains(where: { $0.contains { $0.name == hole } }) { continue }
        let choices = (values[whole.name] ?? []).compactMap { whole.parts(of: $0) }
        combinations = combinations.flatMap { before in choices.map { before + $0 } }
        continue
      }
      var choices = values[hole] ?? []
      if choices.isEmpty, stream.mayBeEmpty(hole) { choices = [""] }
      combinations = combinations.flatMap { before in
        choices.map { before + [ParameterValue(hole, $0)] }
      }
    }
    // By bytes: "é" has two spellings that compare as equal and find different things.
    var seen: Set<String> = []
    return combinations.map { combination in
      // Carried values distinguish lists too: a login may be given up and taken by another user.
      let carried = extra.filter { one in !combination.contains { $0.name == one.name } }
      return Unit(stream: stream.name, values: combination + carried)
    }.filter { seen.insert($0.parameterText).inserted }
  }
}
