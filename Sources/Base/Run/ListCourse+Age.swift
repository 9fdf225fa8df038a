/// How long a list may go without a good end before it is reported.
extension ListCourse {
  /// Nothing is reported in the first and second night, but in the third. A little less than two days,
  /// since timers do not fire at exactly the same minute.
  public static let nights = Duration.seconds(47 * 3600)

  /// - Parameter every: the job's interval.
  public func limit(every: Duration?) -> Duration {
    let spans = zip(ends, ends.dropFirst()).map { $1 - $0 }
    let longest = spans.max() ?? .zero
    // A tenth more: timers vary here, too.
    return max(Self.limit(every: every), longest * 2 + longest / 10)
  }

  /// By the job's interval alone.
  public static func limit(every: Duration?) -> Duration {
    max(nights, every.map { $0 * 3 - $0 / 10 } ?? .zero)
  }
}
