internal import Base

/// One column as the mapping reads it. A class, so that passing it copies nothing.
final class Field: Sendable {
  enum Source: Sendable {
    case paths([JSONPath])
    /// The value of a parameter of the request.
    case parameter(String)
    case constant([UInt8])
    /// A text with parameters of the request in its placeholders.
    case filled(Template)
    case position, memberName, digest
    /// Taken from another row: a parent's key.
    case inherited(Int)
  }

  let name: String
  let source: Source
  let kind: Column.Kind
  /// Values that mean absent, beyond null and the dates of the years 0 and 1.
  private let absent: [[UInt8]]
  let hasAbsent: Bool
  /// Without it the record is rejected.
  let isNeeded: Bool
  /// Part of the key.
  let isKey: Bool
  /// The value of the request that it must equal.
  let matches: String?

  init(_ column: Column, isKey: Bool) {
    name = column.name
    kind = column.kind
    absent = column.absent.map { Array($0.utf8) }
    hasAbsent = !column.absent.isEmpty
    // A key whose value comes from an expression may be absent before that runs.
    isNeeded = isKey || column.isRequired
    self.isKey = isKey
    matches = column.matches
    source =
      switch column.source {
      case .paths(let paths): .paths(paths)
      case .parameter(let name): .parameter(name)
      case .constant(let text): .constant(Array(text.utf8))
      case .filled(let template): .filled(template)
      case .position: .position
      case .memberName: .memberName
      case .digest: .digest
      }
  }

  /// A part of the key that the parent gives.
  init(_ name: String, ofParent slot: Int) {
    self.name = name
    source = .inherited(slot)
    kind = .text
    absent = []
    hasAbsent = false
    isNeeded = true
    isKey = true
    matches = nil
  }

  func isAbsent(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    hasAbsent && absent.contains { $0.elementsEqual(bytes) }
  }

  /// The source of the value, for the schema's comments and for rejects.
  var origin: String {
    switch source {
    case .paths(let paths): paths.map { $0.isEmpty ? "." : $0.text }.joined(separator: " | ")
    case .parameter(let name): "{\(name)}"
    case .constant(let text): "'\(String(decoding: text, as: UTF8.self))'"
    case .filled(let template): "'\(template)'"
    case .position: "position in the list"
    case .memberName: "name of the member"
    case .digest: "digest of the record"
    case .inherited: "key of the parent"
    }
  }
}

extension Column.Kind {
  var sqlType: String {
    switch self {
    case .integer, .boolean: "INTEGER"
    case .real: "REAL"
    case .text, .json, .url, .date, .time: "TEXT"
    }
  }

  /// Its spelling in the job file.
  var name: String {
    switch self {
    case .text: "text"
    case .integer: "integer"
    case .real: "real"
    case .boolean: "boolean"
    case .json: "json"
    case .url: "url"
    case .date: "date"
    case .time(let digits, let zone):
      (digits == 3 ? "time(3)" : "time") + (zone.map { " in \($0)" } ?? "")
    }
  }
}

/// Why a value does not fit its column.
enum Misfit: Equatable {
  case wrongKind(String)
  case tooLarge
  case fraction
  case noNumber
  case noBoolean
  case noTime
  case unknownZone(String)
  case noURL
  case absent
  case expression(String)
  /// It belongs to another record than the requested one.
  case stranger(asked: String)

  func sentence(for kind: Column.Kind) -> String {
    switch self {
    case .wrongKind(let found): "\(found) does not fit a column of type \(kind.name)"
    case .tooLarge: "the number does not fit 64 bits"
    case .fraction: "the number is not whole"
    case .noNumber: "not a number"
    case .noBoolean: "neither true nor false"
    case .noTime: "not a date or time"
    case .unknownZone(let zone): "the time cannot be placed in zone \(zone)"
    case .noURL: "not an http or https URL"
    case .stranger(let asked): "this is not \"\(asked)\", which was requested"
    case .absent: "the value is missing and the record needs it"
    case .expression(let why): "the SQL expression failed: \(why)"
    }
  }
}
