internal import Base

/// A write of one list that waits for its transaction.
struct WaitingWrite {
  /// Whether it is a verdict, which soon survives a power cut.
  var isVerdict: Bool
  /// Returns what is left to do after the commit.
  var body: () throws -> () -> Void
  var fail: (StoreError) -> Void
}

/// Lists that are read at the same time share transactions: for a small list, beginning and ending
/// a transaction costs more than its rows.
extension RecordStore {
  /// Groups all queued writes into one transaction; with several lists also those whose answers
  /// have arrived and are being read. A list that is read alone has its own. All of them succeed or
  /// fail, and the callers continue after the commit.
  func together<T: Sendable>(
    isVerdict: Bool = false, _ body: @escaping () throws -> T
  ) async throws(StoreError) -> T {
    let outcome = await withCheckedContinuation {
      (waiter: CheckedContinuation<Result<T, StoreError>, Never>) in
      wait(
        WaitingWrite(
          isVerdict: isVerdict,
          body: {
            let value = try body()
            return { waiter.resume(returning: .success(value)) }
          },
          fail: { waiter.resume(returning: .failure($0)) }))
    }
    return try outcome.get()
  }

  private func wait(_ write: WaitingWrite) {
    // At most one per list in flight.
    waiting.append(write)
    guard waiting.count == 1 else { return }
    guard units.count > 1, let answerExecutor else {
      return executor.behindAll { [self] in assumeIsolated { $0.writeWaiting() } }
    }
    // On the executor that reads answers: answers that arrived together are read first, and their
    // lists write with this one.
    Task.detached(executorPreference: answerExecutor) { [self] in await writeWaiting() }
  }

  /// - Parameter executor: the one that reads the answers of lists that are walked at the same
  ///   time.
  public func expectAnswers(on executor: (any TaskExecutor)?) {
    answerExecutor = executor
  }

  private func writeWaiting() {
    let group = waiting
    waiting = []
    do {
      let isVerdict = group.contains(where: \.isVerdict)
      let all = { try group.map { try $0.body() } }
      let told = try isVerdict ? writeDurablySoon(all) : write(all)
      for tell in told { tell() }
    } catch {
      for write in group { write.fail(error) }
    }
  }
}
