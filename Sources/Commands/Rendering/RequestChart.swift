internal import Base

/// Requests over time as a chart: a bar for each slice of the run, coloured by outcome, with waits as bands behind them
/// and a legend below.
struct RequestChart {
  let facts: RunFacts

  private static let width = 720
  private static let height = 120
  private static let slices = 60
  private static let waitsMax = 500

  /// Nil if there is nothing to draw.
  var figure: String? {
    let marks = facts.requests.timeline
    guard !marks.isEmpty else { return nil }
    let causes = Cause.allCases.filter { cause in marks.contains { $0.cause == cause } }
    var bars: [[Int]] = Array(
      repeating: [Int](repeating: 0, count: causes.count + 1), count: Self.slices)
    for mark in marks {
      let kind = mark.cause.flatMap { causes.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      bars[slice(mark.at)][kind] += 1
    }
    let most = max(bars.map { $0.reduce(0, +) }.max() ?? 1, 1)
    var body = waits
    for (slice, kinds) in bars.enumerated() {
      var below = 0
      for (kind, count) in kinds.enumerated() where count > 0 {
        // At least one pixel: one failure in a thousand must be visible.
        let height = max(count * (Self.height - 8) / most, 1)
        let colour = kind == 0 ? "var(--bar)" : Self.colour(of: causes[kind - 1])
        body += bar(slice, height, below, colour)
        below += height
      }
    }
    let legend =
      [("var(--bar)", "answered")] + causes.map { (Self.colour(of: $0), $0.words.label) }
      + (facts.requests.waits.isEmpty ? [] : [("var(--wait)", "waiting")])
    return """
      <figure><svg viewBox="0 0 \(Self.width) \(Self.height)" role="img" \
      aria-label="requests over time">\(body)</svg>
      <div class="axis soft"><span>0 s</span>\
      <span>\(HTMLText.escaped(Wording.span(facts.duration)))</span></div>
      <figcaption class="soft">From left to right the \
      \(HTMLText.escaped(Wording.span(facts.duration))) of the run; each bar counts the requests of \
      \(HTMLText.escaped(sliceLength)), the highest \(Wording.number(most)). \
      \(legend.map { HTMLPage.key($0.0, $0.1) }.joined(separator: " "))</figcaption></figure>
      """
  }

  private var sliceLength: String {
    let part = max(span / Int64(Self.slices), 1)
    return part < 1000 ? "\(part) ms" : Wording.span(.milliseconds(part))
  }

  /// The colour of a cause, the same on every page.
  private static func colour(of cause: Cause) -> String {
    switch cause {
    case .network: "var(--network)"
    case .server: "var(--bad)"
    case .client: "var(--client)"
    default: "var(--other)"
    }
  }

  private var waits: String {
    facts.requests.waits.prefix(Self.waitsMax).map { wait in
      let from = x(wait.startedAt)
      let to = x(wait.startedAt + wait.duration)
      return "<rect x=\"\(from)\" y=\"0\" width=\"\(max(to - from, 1))\" height=\"\(Self.height)\" "
        + "fill=\"var(--wait)\" opacity=\".25\"><title>waited "
        + "\(HTMLText.escaped(Wording.span(wait.duration))) for "
        + "\(HTMLText.escaped(wait.reason, max: 200))</title></rect>"
    }.joined()
  }

  /// Milliseconds from start to end, at least one.
  private var span: Int64 { max((facts.endedAt - facts.startedAt).milliseconds, 1) }

  private func offset(_ instant: Instant) -> Int64 {
    min(max((instant - facts.startedAt).milliseconds, 0), span)
  }

  private func slice(_ instant: Instant) -> Int {
    min(Int(offset(instant) * Int64(Self.slices) / span), Self.slices - 1)
  }

  private func x(_ instant: Instant) -> Int { Int(offset(instant) * Int64(Self.width) / span) }

  private func bar(_ slice: Int, _ height: Int, _ below: Int, _ colour: String) -> String {
    let width = Self.width / Self.slices
    return "<rect x=\"\(slice * width)\" y=\"\(Self.height - height - below)\" "
      + "width=\"\(width - 2)\" height=\"\(height)\" fill=\"\(colour)\"/>"
  }
}
