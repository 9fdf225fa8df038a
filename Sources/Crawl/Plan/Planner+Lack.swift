internal import Base
internal import Store

extension Planner {
  /// Stored records that have to name the lists of a stream, where some of them lack a value for that, and so have no
  /// list: `4 of 20 records of things have no code`. Of several the one that leaves nothing to request.
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
        // Others may fill it all the same.
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

  /// The columns of stored records that give values of its holes.
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

/// Records that should name lists of another stream, and lack a value to name one by: nothing is requested for them.
/// Run, plan, status and `check` have it from here.
struct Lack: Sendable {
  /// That of the records.
  var stream: String
  /// Those in which some of them have no value.
  var columns: [String]
  /// Records that lack one or more of them.
  var without: Int
  var all: Int
  /// Nothing of the stream can be requested: the records, or the job's path to the value, are not what they were.
  var leavesNothing: Bool

  var sentence: String {
    let records = "\(Wording.count(all, "record")) of \(stream)"
    if without == all { return "0 of \(records) have \(columns.joined(separator: " and "))" }
    return "\(Wording.number(without)) of \(records) \(without == 1 ? "has" : "have") no "
      + "\(columns.joined(separator: " or no ")): nothing is requested for "
      + (without == 1 ? "it" : "them")
  }
}
