internal import Base

/// What was recognized, in a few words.
extension DraftText {
  /// Each finding and its name.
  public var summary: [(what: String, found: String)] {
    let isOne = findings.page?.isOneRecord ?? false
    return [
      ("records", isOne ? "one object" : JSONPath.text(of: findings.page?.path ?? [])),
      ("key", keyColumn.map { JSONPath.text(of: $0.path) } ?? "none: the position in the list"),
      ("paging", pagingTold), ("total", totalTold), ("columns", columnsTold),
      ("limits", limitsTold),
    ]
  }

  private var pagingTold: String {
    guard let paging = findings.paging else {
      return "one answer"
        + (findings.page.map { findings.saysItIsAll($0) } ?? true
          ? "" : "; no way to a second page was found")
    }
    let size = findings.size.map { ", \($0.name) up to \($0.value)" } ?? ""
    return by(paging) + size
  }
  private var totalTold: String {
    guard let total = findings.total else {
      return findings.estimate.map { "\($0.place): \($0.number), an estimate" } ?? "none"
    }
    let (place, number) = (total.place, total.number)
    return switch findings.count {
    case .right: "\(place): \(number), verified"
    case .wrong: "\(place): \(number), which is wrong"
    case .short: "\(place): \(number), more than the list has"
    case .refused, .unknown: "\(place): \(number), not verified"
    }
  }
  private var columnsTold: String {
    let children = survey.children.isEmpty || keyColumn == nil ? [] : survey.children.map(\.name)
    return Wording.count(survey.columns.count, "column")
      + (children.isEmpty ? "" : ", and nested lists: \(children.joined(separator: ", "))")
  }
  private var limitsTold: String {
    let told = findings.quotas.filter { $0.limit ?? 0 > 0 }
    return told.isEmpty
      ? "none stated: one request a second"
      : told.map { "\($0.limit ?? 0) per \(Self.window($0).0)" }.joined(separator: ", ")
  }
}
