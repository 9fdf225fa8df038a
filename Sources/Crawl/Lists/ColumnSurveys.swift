internal import Base
internal import Store

/// Which columns each stream's records fill, over all its lists in this run.
final class ColumnSurveys: Sendable {
  private let surveys = Locked<[String: ColumnSurvey]>([:])

  func add(_ page: Page, of stream: Stream, _ context: RunContext) async throws(StoreError) {
    if surveys.withLock({ $0[stream.name]?.isDone == true }) { return }
    if surveys.withLock({ $0[stream.name] == nil }) {
      let settled = try await context.store.settledColumns(
        of: stream.name, job: context.job.name)
      surveys.withLock { surveys in
        if surveys[stream.name] == nil {
          surveys[stream.name] = ColumnSurvey(stream, settled: settled)
        }
      }
    }
    surveys.withLock { $0[stream.name]?.add(page.records) }
  }

  /// At the end of a run: the findings, each once in the life of a database.
  func conclude(_ store: RecordStore, _ job: Job) async throws(StoreError) -> [ColumnFinding] {
    let all = surveys.withLock { $0 }
    for (stream, survey) in all {
      try await store.note(settled: survey.settled, of: stream, job: job.name)
    }
    return job.streams.flatMap { all[$0.name]?.findings ?? [] }
  }
}
