/// How old a list may grow before somebody hears of it.
extension ListCourse {
  /// The first and the second night tell nobody; at the third it has lasted for so long. A little less
  /// than two days, since a timer's minute moves.
  public static let nights = Duration.seconds(47 * 3600)

  /// How old it may grow before somebody hears of it.
  public func limit(every: Duration?) -> Duration {
    let spans = zip(ends, ends.dropFirst()).map { $1 - $0 }
    let longest = spans.max() ?? .zero
    // A timer's minute moves here, too.
    return max(Self.limit(every: every), longest * 2 + longest / 10)
  }

  /// Of what is the job's own.
  public static func limit(every: Duration?) -> Duration {
    max(nights, every.map { $0 * 3 - $0 / 10 } ?? .zero)
  }
}
