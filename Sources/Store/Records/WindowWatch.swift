internal import Base

/// Whether any record of a page is within the requested stretch of time.
struct WindowWatch {
  /// Filters may go by days of any zone; a request begins with a whole step.
  private static let slack = Duration.seconds(86_400)

  private let slot: Int?
  private let (from, to): (Instant?, Instant?)
  private var (outside, others) = (0, 0)

  init(_ unit: OpenUnit) {
    let window = unit.plan.stream.window
    slot = window?.column.flatMap { unit.plan.names.firstIndex(of: $0) }
    // What is filled into a template may be either end, or both.
    let asks = unit.plan.stream.holes
    let slack = Self.slack + (window?.overlap ?? .zero) + (window?.step ?? .zero)
    from =
      window?.from == nil && !asks.contains("from") ? nil : unit.unit.window.map { $0.from - slack }
    to = window?.to == nil && !asks.contains("to") ? nil : unit.unit.window.map { $0.to + slack }
  }

  mutating func note(_ row: RowBuffer) {
    // One is enough.
    guard let slot, others == 0 else { return }
    let time = row.text(slot).flatMap { Instant(stored: $0) }
    let isOutside = time.map { time in
      from.map { time < $0 } ?? false || to.map { time > $0 } ?? false
    }
    if isOutside == true { outside += 1 } else { others += 1 }
  }

  var sign: UnreadSign? {
    outside > 0 && others == 0 ? UnreadSign("window", .outside, "") : nil
  }
}
