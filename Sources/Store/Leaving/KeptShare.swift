internal import Base

/// How much of an earlier request's records the next request returns: of all live rows, and of its
/// last whole walk. Rows that are new with the next request do not count.
struct KeptShare: Sendable {
  static let subject = "asker"

  var had = 0
  var lacks = 0
  var walkHad = 0
  var walkLacks = 0
  /// No row is from a request before these two.
  var isOfOne = true

  /// Nine tenths: the same request, whatever its form.
  var isSame: Bool { lacks * 10 <= had && walkLacks * 10 <= walkHad }

  static func + (one: KeptShare, other: KeptShare) -> KeptShare {
    KeptShare(
      had: one.had + other.had, lacks: one.lacks + other.lacks,
      walkHad: one.walkHad + other.walkHad, walkLacks: one.walkLacks + other.walkLacks)
  }
}

extension KeptShare: JSONShape {
  static let empty = KeptShare()
  static let fields = JSONFields<KeptShare>([
    .value("had", \.had), .value("lacks", \.lacks), .value("walk had", \.walkHad),
    .value("walk lacks", \.walkLacks),
  ])
}
