/// A random generator whose draws a failing test can print and repeat.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 { VirtualTime.next(&state) }
}
