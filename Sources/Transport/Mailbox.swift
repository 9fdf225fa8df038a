internal import CCurl
internal import Glibc
internal import Base

/// How other threads talk to the loop's thread: letters in order, and a wake-up.
final class Mailbox: Sendable {
  enum Letter: Sendable {
    case order(Order)
    case cancel(UInt64)
    case found(UInt64, [IPAddress])
    case job(UnownedJob)
  }

  private struct Content {
    var letters: [Letter] = []
    var lastID: UInt64 = 0
    var isClosing = false
    var hasEnded = false
    /// The loop's thread, once it runs: it need not wake itself.
    var thread: pthread_t?
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let content = Locked(Content())
  // `curl_multi_wakeup` may be called from any thread. It is called under the lock, and only before the loop has ended;
  // nothing else here uses the handle.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

  init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

  /// An ID for the next order, so that it can be cancelled.
  func newID() -> UInt64 {
    content.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// False if the loop accepts no more letters.
  func post(_ letter: Letter) -> Bool {
    content.withLock {
      if $0.isClosing { return false }
      // The first letter has already woken the loop, which takes all at once.
      if $0.letters.isEmpty, $0.thread != pthread_self() { wake() }
      $0.letters.append(letter)
      return true
    }
  }

  /// If the wake-up fails, the loop's poll still ends within a second.
  private func wake() { _ = curl_multi_wakeup(multi) }

  /// Called once on the loop's thread, whose own letters then need no wake-up.
  func begin() { content.withLock { $0.thread = pthread_self() } }

  /// Takes all letters, in exchange for the array of the last call, so that none is allocated. True: the loop must end.
  func take(_ letters: inout [Letter]) -> Bool {
    letters.removeAll(keepingCapacity: true)
    return content.withLock { content in
      swap(&letters, &content.letters)
      return content.isClosing
    }
  }

  /// Letters from other threads after this still wake the loop.
  var isEmpty: Bool { content.withLock { $0.letters.isEmpty && !$0.isClosing } }

  /// No letters are accepted from now on.
  func beginClosing() {
    content.withLock {
      if !$0.isClosing, !$0.hasEnded { wake() }
      $0.isClosing = true
    }
  }

  /// Returns after the loop has ended all transfers.
  func close() async {
    beginClosing()
    await withCheckedContinuation { (closer: CheckedContinuation<Void, Never>) in
      let hasEnded = content.withLock {
        if !$0.hasEnded { $0.closers.append(closer) }
        return $0.hasEnded
      }
      if hasEnded { closer.resume() }
    }
  }

  /// The loop calls this before it frees the multi handle.
  func end() -> [CheckedContinuation<Void, Never>] {
    content.withLock { content in
      content.isClosing = true
      content.hasEnded = true
      defer { content.closers = [] }
      return content.closers
    }
  }
}
