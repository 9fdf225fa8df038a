internal import Base

/// One column as the mapping reads it. A class, so that passing it copies nothing.
final class Field: Sendable {
  private let column: Column
  /// The slot of a parent's key that it is taken from; nil: it is read.
  let parentSlot: Int?
  /// Values that mean absent, beyond null and the dates of the years 0 and 1.
  private let absent: [[UInt8]]
  /// Part of the key.
  let isKey: Bool
  var name: String { column.name }
  var source: Column.Source { column.source }
  var kind: Column.Kind { column.kind }
  /// The value of the request that it must equal.
  var matches: String? { column.matches }
  var hasAbsent: Bool { !absent.isEmpty }
  /// Without it the record is rejected. A key whose value comes from an expression may be absent before that runs.
  var isNeeded: Bool { isKey || column.isRequired }

  init(_ column: Column, isKey: Bool, parentSlot: Int? = nil) {
    (self.column, self.isKey, self.parentSlot) = (column, isKey, parentSlot)
    absent = column.absent.map { Array($0.utf8) }
  }

  /// A part of the key that the parent gives.
  convenience init(_ name: String, ofParent slot: Int) {
    self.init(Column(name: name, source: .paths([])), isKey: true, parentSlot: slot)
  }

  func isAbsent(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    absent.contains { $0.elementsEqual(bytes) }
  }

  /// The source of the value, for the schema's comments and for rejects.
  var origin: String {
    switch source {
    case _ where parentSlot != nil: "key of the parent"
    case .paths(let paths): paths.map { $0.isEmpty ? "." : $0.text }.joined(separator: " | ")
    case .parameter(let name): "{\(name)}"
    case .constant(let text): "'\(text)'"
    case .filled(let template): "'\(template)'"
    case .position: "position in the list"
    case .memberName: "name of the member"
    case .digest: "digest of the record"
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
