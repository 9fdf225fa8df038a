internal import Base
internal import Jobs
internal import Store

extension RecordStore {
  /// Adopts a job as it is aimed; of a table that cannot be made it is said where the file names it.
  func adopt(
    _ job: Job, _ environment: Environment, hasMoved: Bool = false
  ) throws -> [String] {
    try Self.placing(job, environment) {
      try adopt(job, origin: job.base.origin, hasMoved: hasMoved)
    }
  }

  /// Whether a job's tables could be made beside those that are there.
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
