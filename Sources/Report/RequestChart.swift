internal import Model

/// Requests over time as a picture: a bar for each slice of the run, coloured by what came, and
/// waits as bands behind them.
struct RequestChart {
  let facts: RunFacts

  private static let width = 720
  private static let height = 120
  private static let slices = 60

  /// Nil when there is nothing to draw.
  var svg: String? {
    let marks = facts.requests.timeline
    guard !marks.isEmpty else { return nil }
    let start = facts.startedAt
    let span = max((facts.endedAt - start).milliseconds, 1)
    var good = [Int](repeating: 0, count: Self.slices)
    var bad = good
    for mark in marks {
      let offset = min(max((mark.at - start).milliseconds, 0), span - 1)
      let slice = Int(offset * Int64(Self.slices) / span)
      if mark.cause == nil { good[slice] += 1 } else { bad[slice] += 1 }
    }
    let most = max(zip(good, bad).map { $0 + $1 }.max() ?? 1, 1)
    var body = ""
    for wait in facts.requests.waits.prefix(500) {
      let from = x((wait.startedAt - start).milliseconds, span)
      let to = x((wait.startedAt - start).milliseconds + wait.duration.milliseconds, span)
      body +=
        "<rect x=\"\(from)\" y=\"0\" width=\"\(max(to - from, 1))\" height=\"\(Self.height)\" "
        + "fill=\"var(--wait)\" opacity=\".25\"><title>waited "
        + "\(HTMLText.escaped(Wording.span(wait.duration))) for "
        + "\(HTMLText.escaped(wait.reason, max: 200))</title></rect>"
    }
    let barWidth = Self.width / Self.slices
    for slice in 0..<Self.slices {
      let goodHeight = good[slice] * (Self.height - 4) / most
      let badHeight = bad[slice] * (Self.height - 4) / most
      body += bar(slice * barWidth, goodHeight, barWidth, below: 0, colour: "var(--bar)")
      body += bar(slice * barWidth, badHeight, barWidth, below: goodHeight, colour: "var(--bad)")
    }
    return """
      <svg viewBox="0 0 \(Self.width) \(Self.height + 18)" role="img" \
      aria-label="requests over time">\(body)\
      <line x1="0" y1="\(Self.height)" x2="\(Self.width)" y2="\(Self.height)" \
      stroke="var(--line)"/>\
      <text x="0" y="\(Self.height + 13)">0 s</text>\
      <text x="\(Self.width)" y="\(Self.height + 13)" text-anchor="end">\
      \(HTMLText.escaped(Wording.span(facts.duration)))</text></svg>
      """
  }

  private func x(_ milliseconds: Int64, _ span: Int64) -> Int {
    Int(min(max(milliseconds, 0), span) * Int64(Self.width) / span)
  }

  private func bar(_ x: Int, _ height: Int, _ width: Int, below: Int, colour: String) -> String {
    guard height > 0 else { return "" }
    let top = Self.height - height - below
    return "<rect x=\"\(x)\" y=\"\(top)\" width=\"\(width - 2)\" height=\"\(height)\" "
      + "fill=\"\(colour)\"/>"
  }
}
