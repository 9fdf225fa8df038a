import Base
import TestSupport

extension LyingList {
  func job() throws -> Job {
    let pager: Pager =
      switch style {
      case .number: .number(parameter: "page", first: 1)
      case .offset: .offset(parameter: "skip")
      case .token: .token(parameter: "token", next: try JSONPath("next"))
      case .link: .link
      case .url: .address(next: try JSONPath("next"))
      }
    var things = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"],
      columns: [
        Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
        Column(name: "name", source: .paths([try JSONPath("name")]), kind: .text),
      ])
    things.size = PageSize(parameter: "size", value: Self.size)
    if let total { things.total = Total(paths: [try JSONPath("total")], trust: total) }
    things.marksVanished = total != .estimate
    return Job(
      name: "shop", about: "things", base: try WebAddress(Gallery.base), streams: [things],
      source: "a test")
  }
}
