internal import Glibc
public import Base

extension FaultPoint {
  /// Kills this process at the given visit of a place.
  public static func killing(at place: String, visit: Int) -> FaultPoint {
    let visits = Locked(0)
    return FaultPoint { reached in
      guard reached.rawValue == place else { return }
      let isDue = visits.withLock {
        $0 += 1
        return $0 == visit
      }
      if isDue { Glibc.kill(getpid(), SIGKILL) }
    }
  }
}
