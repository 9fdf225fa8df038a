internal import JSON
internal import Model

/// What a record gave beside its row, before anything was asked of the database.
struct ReadValues {
  /// Why no row can be made of it.
  var failed: FieldMisfit?
  var misfits: [FieldMisfit] = []
  var spelling: KeySpelling?
  /// Dates that were stored as NULL because they mean never.
  var zeroDates = 0
}

/// A value that does not fit its column; the row stands without it.
struct FieldMisfit {
  var column: String
  var origin: String
  var reason: String
  var raw: String

  init(column: String, origin: String, reason: String, raw: String) {
    self.column = column
    self.origin = origin
    self.reason = reason
    self.raw = raw
  }

  init(_ field: Field, _ misfit: Misfit, _ value: JSONValue?) {
    self.init(
      column: field.name, origin: field.origin, reason: misfit.sentence(for: field.kind),
      raw: value.map { String(decoding: $0.json, as: UTF8.self) } ?? "")
  }
}
