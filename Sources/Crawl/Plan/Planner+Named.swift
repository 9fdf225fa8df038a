internal import Base
internal import Store

/// What the job's values name, and so what is requested for each parent record.
extension Planner {
  /// The lists that the job's values name now, by stream; for each parent the same.
  func named() async throws -> [String: NamedLists] {
    var named: [String: NamedLists] = [:]
    for stream in job.streams {
      named[stream.name] = NamedLists(
        try await names(of: stream), sources: storedSources(of: stream).map(\.stream))
    }
    return named
  }

  private func names(of stream: Stream) async throws -> [String] {
    let given = stream.parent?.given ?? []
    return lists.lists(
      of: stream, values: try await values(of: stream),
      extra: given.map { ParameterValue($0, "") }
    ).map { $0.parameterText(besides: given) }
  }

  /// A digest of all that is requested for each value of the parent. It covers `--set` only for single answers: lists
  /// of other values are other lists.
  func request(of stream: Stream) async throws -> UInt64 {
    let options = stream.isAskedInBatches ? options : CrawlOptions()
    let own = Planner(job: job, options: options, store: store, time: time)
    var digest = Digest64()
    digest.addField("\(prints(of: stream).request)")
    if let feed = stream.parent {
      digest.addField("\(feed.stream).\(feed.column)")
      // Earlier changes were not recorded.
      if feed.when == .changed { digest.addField("changed") }
    }
    for name in try await own.names(of: stream).sorted() { digest.addField(name) }
    return digest.value
  }
}
