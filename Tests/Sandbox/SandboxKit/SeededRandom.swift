/// Numbers that depend only on a seed (SplitMix64), so that the same seed gives the same bytes on every machine and in
/// every process.
struct SeededRandom: Sendable {
  private var state: UInt64

  init(_ seed: UInt64, _ salt: UInt64 = 0) { state = Self.mixed(seed, salt) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.scrambled(state)
  }

  /// A number in 0..<bound; the bias of the remainder is below 2^-32 for every bound used here.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// A number in 0..<1.
  mutating func fraction() -> Double { Self.fraction(next()) }

  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  /// One draw from two numbers, without a generator.
  static func mixed(_ seed: UInt64, _ salt: UInt64) -> UInt64 {
    scrambled(scrambled(seed &+ 0x9E37_79B9_7F4A_7C15) ^ (salt &* 0xD6E8_FEB8_6659_FD93))
  }

  /// A stride that is coprime to a count, and so leads to each place below it.
  static func stride(_ salt: UInt64, over count: Int) -> Int {
    var stride = Int(salt % 7919) + count / 3 + 1
    while gcd(stride, count) != 1 { stride += 1 }
    return stride
  }

  private static func gcd(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : gcd(right, left % right)
  }

  static func fraction(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// A 64-bit digest of bytes, for tags and salts; not for security.
  static func digest(_ bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
    var hash = seed ^ 0xCBF2_9CE4_8422_2325
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { digest($0, into: &hash) }
    if isContiguous == nil { Array(bytes).withUnsafeBufferPointer { digest($0, into: &hash) } }
    return scrambled(hash)
  }

  /// Eight bytes at a time, since pages of 100 KB are tagged on every request.
  private static func digest(_ bytes: UnsafeBufferPointer<UInt8>, into hash: inout UInt64) {
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index + 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      hash = (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
      hash ^= hash >> 29
      index += 8
    }
    while index < raw.count {
      hash = (hash ^ UInt64(raw[index])) &* 0x0000_0100_0000_01B3
      index += 1
    }
    hash ^= UInt64(raw.count)
  }

  private static func scrambled(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
