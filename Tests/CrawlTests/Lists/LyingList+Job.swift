import Base
import TestSupport

extension LyingList {
  func job() throws -> Job {
    let pager: Pager =
      switch style {
      case .number: .numbers
      case .offset: .offset(parameter: "skip")
      case .token: try .tokens()
      case .link: .link
      case .url: .address(next: try JSONPath("next"))
      }
    var things = try Base.Stream("things", "/things", "id integer, name", by: pager)
    things.size = PageSize(parameter: "size", value: Self.size)
    things.total = try total.map { try .told($0) }
    things.marksVanished = total != .estimate
    return try Job("shop", things)
  }
}
