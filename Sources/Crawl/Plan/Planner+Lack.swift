internal import Base
internal import Store

extension Planner {
  /// Stored records that should name a stream's lists but lack a value: `4 of 20 records of things have no code`. Of
  /// several lacks, the one that leaves nothing to request.
  func lack(of stream: Stream) async throws -> Lack? {
    var lacks: [Lack] = []
    if let feed = stream.parent, feed.stream != ParentFeed.favorites,
      let found = try await lack(of: stream.neededOfParent, in: feed.stream)
    {
      lacks.append(found)
    }
    let given = stream.parent?.given ?? []
    for hole in stream.holes where !given.contains(hole) && !stream.mayBeEmpty(hole) {
      for (source, column) in storedSources(filling: hole) {
        guard var found = try await lack(of: [column], in: source) else { continue }
        // Other sources may still fill it.
        let values = try await values(of: stream)
        found.leavesNothing = values[job.parameter(filling: hole)?.name ?? hole]?.isEmpty != false
        lacks.append(found)
      }
    }
    return lacks.first(where: \.leavesNothing) ?? lacks.first
  }

  private func lack(of columns: [String], in source: String) async throws -> Lack? {
    guard let found = try await store?.countWithout(columns, of: source, in: job.name),
      found.without > 0
    else { return nil }
    return Lack(
      stream: source, columns: found.columns, without: found.without, all: found.all,
      leavesNothing: found.without == found.all)
  }

  /// Columns of stored records that fill its holes.
  func storedSources(of stream: Stream) -> [(stream: String, column: String)] {
    stream.holes.flatMap { storedSources(filling: $0) }
  }

  private func storedSources(filling hole: String) -> [(stream: String, column: String)] {
    (lists.given[job.parameter(filling: hole)?.name ?? hole] ?? []).compactMap { given in
      guard case .stored(let name, let column) = GivenValue(given), let source = job.stream(name)
      else { return nil }
      return (name, column ?? source.key[0])
    }
  }
}

/// Records that should name lists of another stream but lack a value: nothing is requested for them. Used by run, plan,
/// status and `check`.
struct Lack: Sendable {
  /// The records' stream.
  var stream: String
  /// The columns in which some have no value.
  var columns: [String]
  /// Records that lack at least one.
  var without: Int
  var all: Int
  /// Nothing of the stream can be requested: the records, or the job's path to the value, have changed.
  var leavesNothing: Bool

  var sentence: String {
    let records = "\(Wording.count(all, "record")) of \(stream)"
    if without == all { return "0 of \(records) have \(columns.joined(separator: " and "))" }
    return "\(Wording.number(without)) of \(records) \(without == 1 ? "has" : "have") no "
      + "\(columns.joined(separator: " or no ")): nothing is requested for "
      + (without == 1 ? "it" : "them")
  }
}
