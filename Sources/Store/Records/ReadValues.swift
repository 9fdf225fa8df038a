internal import Base

/// What a record gave beside its row, before anything was asked of the database.
struct ReadValues {
  /// Nil: it fits, as nearly all of them do.
  var trouble: RecordTrouble?
  /// Dates that were stored as NULL because they mean never.
  var zeroDates = 0

  /// What is told of a record that does not fit as it is written.
  mutating func note(_ change: (RecordTrouble) -> Void) {
    let known = trouble ?? RecordTrouble()
    change(known)
    trouble = known
  }
}

/// What of a record does not fit. A class, so that the records that fit carry a word of it and no more.
final class RecordTrouble {
  /// Why no row can be made of it.
  var failed: FieldMisfit?
  /// Its key reads as another record's, and was written otherwise: which of the two a row would
  /// be cannot be told.
  var clash: FieldMisfit?
  var misfits: [FieldMisfit] = []
  var spelling: KeySpelling?
}

/// A value that does not fit its column; the row stands without it.
struct FieldMisfit {
  /// Empty: the record itself does not fit.
  var column = ""
  var origin: String
  var reason: String
  /// As it was found.
  var raw = ""
}

extension FieldMisfit {
  init(_ field: Field, _ misfit: Misfit, _ value: JSONValue?) {
    self.init(
      column: field.name, origin: field.origin, reason: misfit.sentence(for: field.kind),
      raw: value.map { String(decoding: $0.json, as: UTF8.self) } ?? "")
  }
}
