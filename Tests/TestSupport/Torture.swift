internal import Glibc

/// What `make torture` asks of tests that draw from seeds.
public enum Torture {
  /// `TRAWL_TORTURE`: the long form.
  public static let isOn = getenv("TRAWL_TORTURE") != nil

  /// `TRAWL_MATRIX`: all of what a plain run takes a sample of.
  public static let isWhole = isOn || getenv("TRAWL_MATRIX") != nil

  /// `TRAWL_SEED_FROM`: the seed before the first one of a round, so that no round repeats another.
  /// 0 without it: a plain test run draws the same every time.
  public static let seedBase: UInt64 =
    getenv("TRAWL_SEED_FROM").flatMap { UInt64(String(cString: $0)) } ?? 0

  /// The seeds of one test.
  public static func seeds(plain: UInt64, long: UInt64) -> Range<UInt64> {
    seedBase..<(seedBase + (isOn ? long : plain))
  }
}
