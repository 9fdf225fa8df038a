internal import Glibc

/// A thread for one blocking call: Swift's own pool has only as many as there are processors, and Dispatch adds some
/// about once a second.
public enum BlockingThread {
  private final class Call: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the body once. False if no thread is available; it is then never run.
  public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let call = Unmanaged.passRetained(Call(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Call>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, call.toOpaque())
    guard result == 0 else {
      call.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
