internal import Base
internal import Store

extension Planner {
  /// The column of stored records that has to name the lists of a stream, where some of them have no value there,
  /// and so no list: `4 of 20 records of things have no code`.
  func lack(of stream: Stream) async throws -> Lack? {
    var sources = storedSources(of: stream)
    if let feed = stream.parent, feed.stream != ParentFeed.favorites {
      sources.insert(contentsOf: stream.neededOfParent.map { (feed.stream, $0) }, at: 0)
    }
    for (source, column) in sources {
      let found = try await store?.countWithout(column, of: source, in: job.name)
      guard let found, found.without > 0 else { continue }
      return Lack(stream: source, column: column, without: found.without, all: found.all)
    }
    return nil
  }

  /// The columns of stored records that give values of its holes.
  func storedSources(of stream: Stream) -> [(stream: String, column: String)] {
    stream.holes.flatMap { hole in
      (lists.given[job.parameter(filling: hole)?.name ?? hole] ?? []).compactMap { given in
        guard case .stored(let name, let column) = GivenValue(given), let source = job.stream(name)
        else { return nil }
        return (name, column ?? source.key[0])
      }
    }
  }
}

/// Records that should name lists of another stream, and have no value to name one by: nothing is requested for them.
/// Run, plan, status and `check` have it from here.
struct Lack: Sendable {
  /// That of the records.
  var stream: String
  var column: String
  var without: Int
  var all: Int

  /// The records, or the job's path to the value, are not what they were.
  var isOfAll: Bool { without == all }

  var sentence: String {
    isOfAll
      ? "0 of \(Wording.count(all, "record")) of \(stream) have \(column)"
      : "\(Wording.number(without)) of \(Wording.count(all, "record")) of \(stream) "
        + "\(without == 1 ? "has" : "have") no \(column): nothing is requested for "
        + (without == 1 ? "it" : "them")
  }
}
