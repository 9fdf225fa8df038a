internal import Base

/// How much of what one question had the next one brings: of all its living rows, and of what its last whole walk
/// brought. Rows that are new with the next question say nothing of it.
struct KeptShare: Sendable {
  static let subject = "asker"

  var had = 0
  var lacks = 0
  var walkHad = 0
  var walkLacks = 0
  /// No row is of a question before both.
  var isOfOne = true

  /// Nine tenths: the same question, whatever it is called.
  var isSame: Bool { lacks * 10 <= had && walkLacks * 10 <= walkHad }

  static func + (one: KeptShare, other: KeptShare) -> KeptShare {
    KeptShare(
      had: one.had + other.had, lacks: one.lacks + other.lacks,
      walkHad: one.walkHad + other.walkHad, walkLacks: one.walkLacks + other.walkLacks)
  }
}

extension KeptShare {
  var fact: FactFields {
    [
      "had": SQLValue(had), "lacks": SQLValue(lacks), "walk had": SQLValue(walkHad),
      "walk lacks": SQLValue(walkLacks),
    ]
  }

  init(fact: SQLValue?) {
    let fields = FactFields(fact)
    had = fields.integer("had") ?? 0
    lacks = fields.integer("lacks") ?? 0
    walkHad = fields.integer("walk had") ?? 0
    walkLacks = fields.integer("walk lacks") ?? 0
  }
}
