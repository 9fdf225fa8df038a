internal import Base
internal import Store

/// What the job's values name, and with it what is requested for each record of a parent.
extension Planner {
  /// The lists that the job's values name now, by stream; of each parent the same.
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

  /// A digest of all that is requested for each value of the parent. What a run was given is a part of it for
  /// single answers alone: of lists it names others.
  func request(of stream: Stream) async throws -> UInt64 {
    let options = stream.isAskedInBatches ? options : CrawlOptions()
    let own = Planner(job: job, options: options, store: store, time: time)
    var digest = Digest64()
    digest.addField("\(prints(of: stream).request)")
    if let feed = stream.parent {
      digest.addField("\(feed.stream).\(feed.column)")
      // Changes before that were not recorded.
      if feed.when == .changed { digest.addField("changed") }
    }
    for name in try await own.names(of: stream).sorted() { digest.addField(name) }
    return digest.value
  }
}
