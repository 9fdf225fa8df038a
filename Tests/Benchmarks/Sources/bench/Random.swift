/// The same numbers in each run of the bench (splitmix64).
struct Random {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0xd6e8_feb8_6659_fd93 }

  mutating func bits() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(bits() >> 33) % limit }

  /// - Parameter percent: the probability.
  mutating func happens(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}
