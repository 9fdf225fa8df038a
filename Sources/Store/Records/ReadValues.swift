internal import Base

/// What a record gave besides its row, before the database is used.
struct ReadValues {
  /// Nil: it fits, as nearly all do.
  var trouble: RecordTrouble?
  /// Dates stored as NULL because they mean "never".
  var zeroDates = 0

  /// Notes a problem of a record that does not fit as it is.
  mutating func note(_ change: (RecordTrouble) -> Void) {
    let known = trouble ?? RecordTrouble()
    change(known)
    trouble = known
  }
}

/// The problems of a record. A class, so that a record without problems carries only one word.
final class RecordTrouble {
  /// Why no row can be made of it.
  var failed: FieldMisfit?
  /// Its key is read as that of another record but was written differently: it is unknown which of
  /// the two the row would be.
  var clash: FieldMisfit?
  var misfits: [FieldMisfit] = []
  var spelling: KeySpelling?
}

/// A value that does not fit its column; the row is stored without it.
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
