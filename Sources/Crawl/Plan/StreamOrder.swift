internal import Base

/// In which order a run reads the streams of its job.
extension ListPlanner {
  /// Streams whose values it takes, and those that insert the rows that it only fills.
  func needs(_ stream: Stream) -> Set<String> {
    let needed = sources(of: stream)
    if stream.ownsTable || !needed.isEmpty { return needed }
    // A stream that takes values from elsewhere might wait for this one.
    return Set(
      job.streams.filter { $0.table == stream.table && $0.ownsTable && sources(of: $0).isEmpty }
        .map(\.name))
  }

  func sources(of stream: Stream) -> Set<String> {
    var needed: Set<String> = []
    if let parent = stream.parent, parent.stream != ParentFeed.favorites {
      needed.insert(parent.stream)
    }
    for hole in stream.holes {
      for value in given[job.parameter(filling: hole)?.name ?? hole] ?? [] {
        if case .stored(let name, _) = GivenValue(value) { needed.insert(name) }
      }
    }
    return needed
  }

  /// Parents first; among those that are ready, single answers (of these the one that a limit has kept waiting
  /// longest), then the shortest list known, then file order.
  func order(lengths: [String: Int], turns: [String: Int] = [:]) -> [Stream] {
    var left = job.streams
    var done: Set<String> = []
    var ordered: [Stream] = []
    while !left.isEmpty {
      let ready = left.filter { needs($0).isSubset(of: done.union([$0.name])) }
      // A job file with a circle is refused; in one that `--set` closes, all are ready.
      let pool = ready.isEmpty ? left : ready
      let next = pool.enumerated().min { one, other in
        let keys = [one, other].map {
          (length($0.element, lengths), turns[$0.element.name] ?? 0, $0.offset)
        }
        return keys[0] < keys[1]
      }
      guard let stream = next?.element else { break }
      ordered.append(stream)
      done.insert(stream.name)
      left.removeAll { $0.name == stream.name }
    }
    return ordered
  }

  private func length(_ stream: Stream, _ lengths: [String: Int]) -> Int {
    if stream.pager == .single { return 0 }
    return lengths[stream.name] ?? Int.max
  }
}
