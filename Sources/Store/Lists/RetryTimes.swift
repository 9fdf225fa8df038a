internal import Base

/// When what did not come is requested again.
enum RetryTimes {
  /// With `--if-due`, a failed list: after 1, 2, 4, 8 hours.
  static func failed(after tries: Int) -> Duration { doubled(.seconds(3600), tries, failedMax) }
  static let failedMax = Duration.seconds(8 * 3600)

  /// A list or a value that the API does not have, or an image that it refuses: after 1, 2, 4, … 30 days.
  static func absent(after tries: Int) -> Duration { doubled(day, tries, absentMax) }
  static let absentMax = day * 30

  /// A list that existed before: once a night.
  static let night = Duration.seconds(20 * 3600)
  /// An image with a validator.
  static let imageCheck = day * 30
  /// A longer wait of an image was written while the clock was ahead.
  static let imageWaitMax = absentMax + day
  /// An image that could not be requested in this run.
  static let imagePostponed = Duration.seconds(3600)
  private static let day = Duration.seconds(86_400)

  private static func doubled(_ first: Duration, _ tries: Int, _ most: Duration) -> Duration {
    min(first * (1 << min(tries - 1, 8)), most)
  }
}
