internal import CCurl
internal import Glibc
internal import Base

/// How other threads speak to the loop's thread: letters in order, and a wake-up.
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
    /// The loop's, once it runs: it need not wake itself.
    var thread: pthread_t?
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let content = Locked(Content())
  // `curl_multi_wakeup` may be called from any thread, and is called under the lock only while the
  // loop has not ended; nothing else here touches the handle.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

  init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

  /// A name for the next order, so that it can be cancelled.
  func newID() -> UInt64 {
    content.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// False when the loop takes no more.
  func post(_ letter: Letter) -> Bool {
    content.withLock {
      if $0.isClosing { return false }
      // The first of them has woken the loop, which takes all at once.
      if $0.letters.isEmpty, $0.thread != pthread_self() { wake() }
      $0.letters.append(letter)
      return true
    }
  }

  /// A failing wake-up only delays the loop until its own poll ends, within a second.
  private func wake() { _ = curl_multi_wakeup(multi) }

  /// Called once on the loop's thread. From then on what is posted there wakes no thread.
  func begin() { content.withLock { $0.thread = pthread_self() } }

  /// Everything that has come, for the loop, in the place of what it read last: two arrays take turns, and
  /// none is made. True: the loop is to end.
  func take(_ letters: inout [Letter]) -> Bool {
    letters.removeAll(keepingCapacity: true)
    return content.withLock { content in
      swap(&letters, &content.letters)
      return content.isClosing
    }
  }

  /// A post to an empty one from elsewhere wakes the loop.
  var isEmpty: Bool { content.withLock { $0.letters.isEmpty && !$0.isClosing } }

  /// From now on nothing is taken.
  func beginClosing() {
    content.withLock {
      if !$0.isClosing, !$0.hasEnded { wake() }
      $0.isClosing = true
    }
  }

  /// Returns when the loop has ended all transfers.
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

  /// The loop's last word before it gives the multi handle back.
  func end() -> [CheckedContinuation<Void, Never>] {
    content.withLock { content in
      content.isClosing = true
      content.hasEnded = true
      defer { content.closers = [] }
      return content.closers
    }
  }
}
