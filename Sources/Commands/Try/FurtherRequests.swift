internal import Base
internal import Crawl

/// Requests behind those of page 1, which find out what its records cannot show.
struct FurtherRequests {
  /// Of the run that read page 1, and stored it.
  let parts: RunParts
  private(set) var sent = 0

  private static let timeMax = Duration.seconds(30)

  init(_ parts: RunParts) { self.parts = parts }

  /// Reads a stream once more, as it is here; nil: it cannot be tried.
  mutating func read(_ stream: Stream, _ change: (inout CrawlOptions) -> Void) async -> RunFacts? {
    var parts = parts
    for index in parts.job.streams.indices where parts.job.streams[index].name == stream.name {
      parts.job.streams[index] = stream
    }
    parts.options.streams = [stream.name]
    parts.options.maxTime = Self.timeMax
    change(&parts.options)
    // What cannot be tried is no mistake of the job file.
    guard let run = try? await JobRun(parts) else { return nil }
    let facts = await run.execute()
    sent += facts.requests.sent
    return facts
  }
}
