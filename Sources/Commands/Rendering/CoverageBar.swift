internal import Base
internal import Walk

/// A list's range of time as a bar: what certificates cover, and the holes.
struct CoverageBar {
  let coverage: CoverageFacts

  private static let width = 720
  private static let height = 16

  /// The meaning of the colours of all bars.
  static var legend: String {
    let keys = [
      ("var(--good)", "proven complete"),
      ("var(--wait)", "read, but unproven, limited or not whole"),
      ("var(--other)", "out of reach: the API does not answer so far back"),
      ("var(--hole)", "not read: a hole"),
    ]
    return "<p class=\"soft\">Each bar is the time of a list, the oldest at the left. "
      + keys.map { HTMLPage.key($0.0, $0.1) }.joined(separator: " ") + "</p>\n"
  }

  var figure: String {
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.down))) %" }
    let lost = coverage.outOfReach
    let words =
      "\(percent(coverage.share)) covered, "
      + (lost > 0 ? "\(percent(lost)) out of reach, " : "")
      + Wording.count(holes.count, "hole")
    let gaps = holes.prefix(3).map { "\($0.from) to \($0.to)" }.joined(separator: "; ")
    let missing = holes.isEmpty ? "" : "<br>missing: \(HTMLText.escaped(gaps))"
    let rest = coverage.stretches.count - shown.count
    let undrawn =
      rest > 0 ? "<br>not drawn: the newest \(Wording.count(rest, "stretch", "stretches"))" : ""
    return "<figure class=\"bar\"><figcaption>\(HTMLText.foreign(coverage.listName)): "
      + "\(words)<br><span class=\"soft\">\(coverage.range.from) to \(coverage.range.to)"
      + "\(missing)\(undrawn)</span></figcaption>\n"
      + "<svg viewBox=\"0 0 \(Self.width) \(Self.height)\" preserveAspectRatio=\"none\" "
      + "role=\"img\" aria-label=\"\(words)\">"
      + "<rect width=\"\(Self.width)\" height=\"\(Self.height)\" fill=\"var(--hole)\"/>"
      + stretches + "</svg></figure>"
  }

  private var shown: ArraySlice<CoverageFacts.Stretch> {
    // cut: the caption says how many are not drawn
    coverage.stretches.prefix(CoverageFacts.stretchesMax)
  }

  private var stretches: String {
    shown.map { stretch in
      let from = x(stretch.window.from)
      let width = max(x(stretch.window.to) - from, 1)
      let colour =
        stretch.verdict == .complete
        ? "var(--good)" : stretch.cause == .outOfReach ? "var(--other)" : "var(--wait)"
      return "<rect x=\"\(from)\" width=\"\(width)\" height=\"\(Self.height)\" fill=\"\(colour)\">"
        + "<title>\(stretch.cause?.rawValue ?? stretch.verdict.rawValue): \(stretch.window.from) to \(stretch.window.to)"
        + "</title></rect>"
    }.joined()
  }

  private var holes: [TimeWindow] {
    WindowPlanner.holes(in: coverage.range, covered: coverage.stretches.map(\.window))
  }

  private func x(_ instant: Instant) -> Int {
    let whole = max((coverage.range.to - coverage.range.from).inSeconds, 1e-3)
    let part = (instant - coverage.range.from).inSeconds / whole
    return Int(min(max(part, 0), 1) * Double(Self.width))
  }
}
