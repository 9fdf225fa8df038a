internal import Base
internal import Jobs
internal import Store

extension RecordStore {
  /// Adopts a job with its endpoint; errors about tables name the place in the job file.
  func adopt(_ job: Job, _ environment: Environment, hasMoved: Bool = false) throws -> [String] {
    try Self.placing(job, environment) {
      try adopt(job, origin: job.base.origin, hasMoved: hasMoved)
    }
  }

  /// Whether the job's tables can be created beside existing ones.
  func checkNames(of job: Job, _ environment: Environment) throws {
    try Self.placing(job, environment) { try checkNames(of: job) }
  }

  private static func placing<Result>(
    _ job: Job, _ environment: Environment, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch var error as StoreError {
      if let table = error.table {
        error.place = environment.library.place(ofTable: table, in: job)
      }
      throw error
    }
  }
}
