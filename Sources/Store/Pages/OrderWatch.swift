internal import Base

/// Whether the records of a page are in the order that the job declares.
struct OrderWatch {
  private let order: ListOrder?
  private let slot: Int
  private let isTime: Bool
  private(set) var page: PageOrder?

  init(_ plan: StreamPlan) {
    order = plan.stream.order
    slot = plan.orderSlot ?? 0
    switch order.flatMap({ plan.stream.column($0.column)?.kind }) {
    case .time, .date: isTime = true
    default: isTime = false
    }
  }

  /// Notes the next record, whether it is kept or not: the next page begins after the last one
  /// received, not after the last one kept.
  mutating func note(_ row: RowBuffer) {
    guard let order, page != .unsorted else { return }
    guard let value = value(row) else {
      page = .unsorted
      return
    }
    guard case .sorted(let first, let last) = page else {
      page = .sorted(first: value, last: value)
      return
    }
    page = order.mayPrecede(last, value) ? .sorted(first: first, last: value) : .unsorted
  }

  /// A record whose values are unknown.
  mutating func noteUnknown() {
    if order != nil { page = .unsorted }
  }

  private func value(_ row: RowBuffer) -> SortValue? {
    switch row.kind(slot) {
    case .integer: .number(row.integer(slot))
    case .text where isTime:
      row.text(slot).flatMap { Instant(stored: $0) }.map { .number($0.milliseconds) }
    case .text: .text(row.withText(slot) { Array($0) })
    default: nil
    }
  }
}
