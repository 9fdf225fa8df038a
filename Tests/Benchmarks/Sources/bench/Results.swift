import Glibc

/// Measurements by workload and program, and comparisons of them.
final class Results {
  /// The name for Trawl's own runs.
  static let own = "trawl"

  /// Required maximum ratios to the other program; nil: none.
  struct Wanted {
    var time: Double?
    var cpu: Double?
  }

  private struct Key: Hashable {
    let work: String
    let program: String
  }

  private struct Comparison {
    let work: String
    let other: String
    let own: Process.Usage
    let rival: Process.Usage
    let time: Double
    let cpu: Double
    let wanted: Wanted
  }

  private var samples: [Key: [Process.Usage]] = [:]
  private var comparisons: [Comparison] = []
  private var remarks: [String] = []

  /// One round of a program. The programs' rounds alternate, so that other load on the machine meets all.
  func add(_ usage: Process.Usage, _ program: String = own, at work: String) {
    samples[Key(work: work, program: program), default: []].append(usage)
  }

  /// The medians of both, and of the rounds' ratios.
  func compare(_ work: String, with other: String, wanted: Wanted = Wanted()) {
    guard let own = samples[Key(work: work, program: Self.own)],
      let rival = samples[Key(work: work, program: other)], own.count == rival.count
    else { preconditionFailure("\(work): unequal rounds") }
    let pairs = zip(own, rival)
    comparisons.append(
      Comparison(
        work: work, other: other, own: Self.middle(own), rival: Self.middle(rival),
        time: Self.median(pairs.map { $0.seconds / $1.seconds }),
        cpu: Self.median(pairs.map { $0.cpuSeconds / $1.cpuSeconds }), wanted: wanted))
    printNew()
  }

  /// Results that are no ratio of two programs.
  func remark(_ text: String) {
    remarks.append(text)
    print("  " + text)
    fflush(nil)
  }

  /// The medians of Trawl's own rounds.
  func usage(of work: String) -> Process.Usage {
    Self.middle(samples[Key(work: work, program: Self.own), default: []])
  }

  private static func middle(_ rounds: [Process.Usage]) -> Process.Usage {
    Process.Usage(
      code: 0, seconds: median(rounds.map(\.seconds)), cpuSeconds: median(rounds.map(\.cpuSeconds)),
      peak: rounds.map(\.peak).max() ?? 0)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let last = sorted.last else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + (sorted.count > 1 ? sorted[sorted.count / 2] : last))
      / 2
  }

  // MARK: the table

  static func printHead() {
    print(
      "".padded(44) + "  other".padded(20)
        + row(["s", "other", "ratio", "CPU s", "other", "ratio", "MB", "other"])
        + "   wanted")
  }

  private func printNew() {
    guard let last = comparisons.last else { return }
    let wanted = [last.wanted.time.map { "time \($0)" }, last.wanted.cpu.map { "CPU \($0)" }]
      .compactMap { $0 }
    print(
      last.work.padded(44) + "  " + last.other.padded(18)
        + Self.row([
          Self.short(last.own.seconds), Self.short(last.rival.seconds), Self.hundredths(last.time),
          Self.short(last.own.cpuSeconds), Self.short(last.rival.cpuSeconds),
          Self.hundredths(last.cpu),
          Self.megabytes(last.own.peak), Self.megabytes(last.rival.peak),
        ]) + "   " + wanted.joined(separator: ", "))
    fflush(nil)
  }

  private static func row(_ cells: [String]) -> String {
    cells.map { String(repeating: " ", count: max(1, 8 - $0.count)) + $0 }.joined()
  }

  static func grouped(_ number: Int) -> String {
    number < 1000
      ? "\(number)"
      : grouped(number / 1000) + "," + String(String(1000 + number % 1000).dropFirst())
  }

  static func hundredths(_ value: Double) -> String { decimal(value, places: 2) }

  /// Milliseconds for programs that take a few.
  private static func short(_ seconds: Double) -> String {
    decimal(seconds, places: seconds < 1 ? 3 : 2)
  }

  static func decimal(_ value: Double, places: Int) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    return "\(whole / scale)." + String(String(scale + whole % scale).dropFirst())
  }

  static func megabytes(_ bytes: Int) -> String { decimal(Double(bytes) / 1e6, places: 1) }

  // MARK: JSON

  /// `ratio` is Trawl's divided by the other's.
  func json(isFull: Bool) -> String {
    let rows = comparisons.map { row in
      let fields: [(String, String)] = [
        ("work", Self.quoted(row.work)), ("other", Self.quoted(row.other)),
        ("seconds", Self.decimal(row.own.seconds, places: 4)),
        ("other_seconds", Self.decimal(row.rival.seconds, places: 4)),
        ("ratio", Self.decimal(row.time, places: 3)),
        ("cpu_seconds", Self.decimal(row.own.cpuSeconds, places: 4)),
        ("other_cpu_seconds", Self.decimal(row.rival.cpuSeconds, places: 4)),
        ("cpu_ratio", Self.decimal(row.cpu, places: 3)), ("peak_bytes", "\(row.own.peak)"),
        ("other_peak_bytes", "\(row.rival.peak)"),
        ("wanted_ratio", row.wanted.time.map { "\($0)" } ?? "null"),
        ("wanted_cpu_ratio", row.wanted.cpu.map { "\($0)" } ?? "null"),
      ]
      return "    {" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    return """
      {
        "size": "\(isFull ? "full" : "quick")",
        "processors": \(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
        "comparisons": [
      \(rows.joined(separator: ",\n"))
        ],
        "remarks": [\(remarks.map(Self.quoted).joined(separator: ", "))]
      }

      """
  }

  /// For our own words, in which only quotes need escaping.
  private static func quoted(_ text: String) -> String {
    "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
      + "\""
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
