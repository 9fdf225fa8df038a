internal import Glibc

/// Settings of `make torture` for seeded tests.
public enum Torture {
  /// `TRAWL_TORTURE`: the long form.
  public static let isOn = getenv("TRAWL_TORTURE") != nil

  /// `TRAWL_MATRIX`: everything of which a plain run takes a sample.
  public static let isWhole = isOn || getenv("TRAWL_MATRIX") != nil

  /// `TRAWL_SEED_FROM`: the seed before the first one of a round, so that no round repeats another. 0 if unset: a plain
  /// run always draws the same.
  public static let seedBase: UInt64 =
    getenv("TRAWL_SEED_FROM").flatMap { UInt64(String(cString: $0)) } ?? 0

  /// `TRAWL_SEED`: the one seed that is repeated, and tells its whole story.
  public static let seed = getenv("TRAWL_SEED").flatMap { UInt64(String(cString: $0)) }

  /// The seeds of one test.
  public static func seeds(plain: UInt64, long: UInt64) -> Range<UInt64> {
    seedBase..<(seedBase + (isOn ? long : plain))
  }
}
