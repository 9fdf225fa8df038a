internal import Base

/// A stretch of time that the terms of a job name, such as "after 30 days": what nothing in the job keeps.
enum TermsPeriod {
  private static let units: Set<Substring> = [
    "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years",
  ]

  /// Nil: the terms name none, or each table forgets what is not seen again.
  static func unkept(of job: Job) -> Finding? {
    guard let period = job.terms.flatMap(period) else { return nil }
    let open = job.streams.filter { $0.retain == nil }.map(\.name)
    guard !open.isEmpty else { return nil }
    let what = open.count == job.streams.count ? "the job" : open.joined(separator: ", ")
    return .note(
      "terms", "they name a period (\(period)), and of \(what) nothing is ever forgotten",
      cure: "retain: \"30d\" forgets what is not seen again; when: \"stale 7d\" requests it again")
  }

  /// `30 days`.
  private static func period(_ terms: String) -> String? {
    let words = terms.split { " ,.;:()".contains($0) }
    for (number, unit) in zip(words, words.dropFirst())
    where units.contains(unit) && number.utf8.allSatisfy({ (48...57).contains($0) }) {
      return "\(number) \(unit)"
    }
    return nil
  }
}
