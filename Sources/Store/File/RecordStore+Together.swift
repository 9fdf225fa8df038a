internal import Base

/// A write of one list that waits for its transaction.
struct WaitingWrite {
  /// It is a verdict, which survives a power cut soon.
  var isVerdict: Bool
  /// Gives what is left to do once all is committed.
  var body: () throws -> () -> Void
  var fail: (StoreError) -> Void
}

/// Lists that are read at the same time share transactions: what a small list costs is less its rows than
/// the beginning and the end of each.
extension RecordStore {
  /// Groups all writes that are queued already into one transaction; with several lists also those whose answers
  /// have come and are being read. A list that is read alone has its own. All of them succeed or fail, and the
  /// callers hear of it after the commit.
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
    // As many as there are lists in flight: each waits for its own.
    waiting.append(write)
    guard waiting.count == 1 else { return }
    guard units.count > 1, let answerExecutor else {
      return executor.behindAll { [self] in assumeIsolated { $0.writeWaiting() } }
    }
    // By way of where answers are read: those that came with this list's are read first, and their lists
    // write with it.
    Task.detached(executorPreference: answerExecutor) { [self] in await writeWaiting() }
  }

  /// - Parameter executor: where the answers are read of lists that are walked at the same time.
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
