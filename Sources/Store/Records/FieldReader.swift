internal import Base

/// Puts the values of a record into a row, field by field.
struct FieldReader {
  /// The result for one field.
  enum Outcome {
    case stored
    case absent
    /// NULL is stored; the value as found, and why it does not fit.
    case misfit(Misfit, JSONValue?)
  }

  let zones: LocalZones

  /// Dates stored as NULL because they mean "never".
  var zeroDates = 0
  /// Unusual spellings of the key's parts that were read since this was set to nil.
  var spelling: KeySpelling?
  /// The places of those members of the current record that columns read.
  private var places: MemberNames.Places = []

  init(_ zones: LocalZones) { self.zones = zones }

  /// The request's part of a record.
  struct Request {
    var parameters: [ParameterValue]
    /// The record's position in its list, from 1.
    var position: Int
    var parent: RowBuffer?
    /// The record's name, if it is a member of an object.
    var name: String?

    subscript(name: String) -> String? {
      parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
  }

  /// Reads all columns of a record; what does not fit stays NULL and is reported.
  mutating func read(
    _ map: FieldMap, of record: JSONValue, _ request: Request, into row: RowBuffer
  ) -> ReadValues {
    row.clear()
    spelling = nil
    map.names.find(in: record, into: &places)
    var values = ReadValues()
    let before = zeroDates
    for slot in map.fields.indices {
      let field = map.fields[slot]
      let outcome: Outcome
      switch map.lookups[slot] {
      case .member(let name):
        let place = places[name]
        outcome = place < 0 ? .absent : readFound(record.member(at: place), field, row, slot)
      case .named(let name):
        let place = places[name]
        outcome =
          place < 0
          ? read(field, of: record, request, into: row, slot)
          : readFound(record.member(at: place), field, row, slot)
      case .behind(let name):
        outcome = read(field, behind: places[name], of: record, into: row, slot)
      case .elsewhere: outcome = read(field, of: record, request, into: row, slot)
      }
      if let name = field.matches, let asked = request[name],
        !(row.text(slot) ?? "").equalsIgnoringCase(asked)
      {
        values.note { $0.failed = $0.failed ?? FieldMisfit(field, .stranger(asked: asked), nil) }
      }
      guard case .misfit(let misfit, let value) = outcome else { continue }
      let told = FieldMisfit(field, misfit, value)
      if field.isNeeded {
        values.note { $0.failed = $0.failed ?? told }
      } else {
        values.note { $0.misfits.append(told) }
      }
    }
    if spelling != nil { values.note { $0.spelling = spelling } }
    values.zeroDates = zeroDates - before
    return values
  }

  /// A column with one path whose first member has a known place.
  private mutating func read(
    _ field: Field, behind place: Int, of record: JSONValue, into row: RowBuffer, _ slot: Int
  ) -> Outcome {
    guard place >= 0, case .paths(let paths) = field.source,
      let value = paths[0].first(in: record, behind: place)
    else { return .absent }
    return readFound(value, field, row, slot)
  }

  private mutating func readFound(
    _ value: JSONValue, _ field: Field, _ row: RowBuffer, _ slot: Int
  ) -> Outcome {
    let outcome = read(value, field, row, slot)
    if field.isKey, case .stored = outcome { noteSpelling(value, row, slot) }
    return outcome
  }

  mutating func read(
    _ field: Field, of record: JSONValue, _ request: Request, into row: RowBuffer, _ slot: Int
  ) -> Outcome {
    if let slotOfParent = field.parentSlot {
      guard let parent = request.parent else { return .absent }
      row.copy(slot, from: parent, slotOfParent)
      return .stored
    }
    switch field.source {
    case .paths(let paths):
      for path in paths {
        guard let value = path.value(in: record) else { continue }
        let outcome = readFound(value, field, row, slot)
        if case .absent = outcome { continue }
        return outcome
      }
      return .absent
    case .parameter(let name): return readGiven(request[name], field, row, slot)
    case .filled(let template):
      return readGiven(template.filled { request[$0] }, field, row, slot)
    case .constant(let text): return readGiven(text, field, row, slot)
    case .memberName: return readGiven(request.name, field, row, slot)
    case .position:
      row.setInteger(slot, Int64(request.position))
      return .stored
    case .digest:
      row.setText(slot, RecordDigest.text(of: record))
      return .stored
    }
  }

  private mutating func readGiven(
    _ text: String?, _ field: Field, _ row: RowBuffer, _ slot: Int
  ) -> Outcome {
    guard var text else { return .absent }
    return text.withUTF8 { bytes in readText(bytes, field, row, slot, nil) }
  }

  /// A value that was found, or a record that is nothing but this value.
  mutating func read(
    _ value: JSONValue, _ field: Field, _ row: RowBuffer, _ slot: Int
  ) -> Outcome {
    if case .json = field.kind {
      if value.isNull { return .absent }
      row.setText(slot, value.json)
      return .stored
    }
    switch value.kind {
    case .null: return .absent
    case .string:
      return value.withUTF8 { readText($0, field, row, slot, value) } ?? .absent
    case .integer, .real, .hugeNumber: return readNumber(value, field, row, slot)
    case .boolean: return readBoolean(value.boolean == true, field, row, slot, value)
    case .object: return .misfit(.wrongKind("an object"), value)
    case .array: return .misfit(.wrongKind("a list"), value)
    }
  }

  /// Remembers how a part of the key was written, if not as it is stored.
  private mutating func noteSpelling(_ value: JSONValue, _ row: RowBuffer, _ slot: Int) {
    var sent: [UInt8]?
    if let bytes = value.bytesBeforeRepair {
      sent = bytes
    } else if value.isString {
      let stored = row.kind(slot) == .text ? nil : row.text(slot)
      sent =
        value.withUTF8 { bytes in
          let isSame =
            stored.map { $0.utf8.elementsEqual(bytes) }
            ?? row.withText(slot) { $0.elementsEqual(bytes) }
          return isSame ? nil : Array(bytes)
        } ?? nil
    } else if value.isNumber, value.kind != .integer {
      let stored = row.text(slot) ?? ""
      sent = value.withRawNumber { $0.elementsEqual(stored.utf8) ? nil : Array($0) } ?? nil
    }
    guard let sent else { return }
    if spelling == nil {
      spelling = KeySpelling(sent, slot: slot)
    } else {
      spelling?.add(sent, slot: slot)
    }
  }

  // MARK: Text

  private mutating func readText(
    _ bytes: UnsafeBufferPointer<UInt8>, _ field: Field, _ row: RowBuffer, _ slot: Int,
    _ value: JSONValue?
  ) -> Outcome {
    // In a text column an empty value is a value; no number, time or URL is written so.
    if bytes.isEmpty {
      guard case .text = field.kind else { return .absent }
    }
    if field.isAbsent(bytes) { return .absent }
    switch field.kind {
    case .text:
      row.setText(slot, bytes)
      return .stored
    case .json:
      // Only values of the request get here: they are text.
      row.setText(slot, JSONWriter.text { $0.string(utf8: bytes) })
      return .stored
    case .integer: return readInteger(bytes, row, slot, value)
    case .real:
      guard let number = Self.number(bytes) else { return .misfit(.noNumber, value) }
      guard let real = number.real else { return .misfit(.tooLarge, value) }
      row.setReal(slot, real)
      return .stored
    case .boolean:
      if bytes.elementsEqual("true".utf8) || bytes.elementsEqual("1".utf8) {
        row.setInteger(slot, 1)
      } else if bytes.elementsEqual("false".utf8) || bytes.elementsEqual("0".utf8) {
        row.setInteger(slot, 0)
      } else {
        return .misfit(.noBoolean, value)
      }
      return .stored
    case .url: return readURL(bytes, row, slot, value)
    case .date, .time: return readTime(bytes, field.kind, row, slot, value)
    }
  }

  private func readInteger(
    _ bytes: UnsafeBufferPointer<UInt8>, _ row: RowBuffer, _ slot: Int, _ value: JSONValue?
  ) -> Outcome {
    if let quick = Self.shortInteger(bytes) {
      row.setInteger(slot, quick)
      return .stored
    }
    guard let number = Self.number(bytes) else { return .misfit(.noNumber, value) }
    return readInteger(number, row, slot, value)
  }

  private func readInteger(
    _ number: JSONValue, _ row: RowBuffer, _ slot: Int, _ value: JSONValue?
  ) -> Outcome {
    if let integer = number.integer {
      row.setInteger(slot, integer)
      return .stored
    }
    let isFraction = number.kind == .real && abs(number.real ?? .infinity) < 0x1p63
    return .misfit(isFraction ? .fraction : .tooLarge, value)
  }

  /// Up to 18 digits, which always fit.
  private static func shortInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard bytes.count <= 18 else { return nil }
    var sum: Int64 = 0
    for byte in bytes {
      guard (48...57).contains(byte) else { return nil }
      sum = sum * 10 + Int64(byte - 48)
    }
    return sum
  }

  /// The number that a text means, apart from blanks at its ends, by JSON's grammar.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    // No sensible number is longer, but a text may have megabytes.
    guard bytes.count <= 512 else { return nil }
    // A text that is not JSON is not a number: no error needs to be reported.
    guard let document = try? JSONDocument.read(UnsafeRawBufferPointer(bytes)) else { return nil }
    return document.root.isNumber ? document.root : nil
  }

  private func readURL(
    _ bytes: UnsafeBufferPointer<UInt8>, _ row: RowBuffer, _ slot: Int, _ value: JSONValue?
  ) -> Outcome {
    // Nearly all URLs: whole, and without a byte that needs care.
    if Self.isWholeURL(bytes) {
      row.setText(slot, bytes)
      return .stored
    }
    let isBlank: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return .absent }
    let inner = UnsafeBufferPointer(rebasing: bytes[first...last])
    if inner.contains(where: { $0 < 32 || $0 == 127 }) { return .misfit(.noURL, value) }
    let isWhole = Self.begins(inner, with: "https://") || Self.begins(inner, with: "http://")
    let lacksScheme = Self.begins(inner, with: "//")
    guard isWhole || lacksScheme else { return .misfit(.noURL, value) }
    if !lacksScheme && !inner.contains(32) {
      row.setText(slot, inner)
    } else {
      // Protocol-relative means https; a blank inside is sent as %20 anyway.
      var text: [UInt8] = lacksScheme ? Array("https:".utf8) : []
      for byte in inner { if byte == 32 { text += "%20".utf8 } else { text.append(byte) } }
      row.setText(slot, text)
    }
    return .stored
  }

  /// Begins with a scheme and has neither blanks nor bytes that no URL may have.
  private static func isWholeURL(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard begins(bytes, with: "https://") || begins(bytes, with: "http://") else { return false }
    var isOdd = false
    for byte in bytes { if byte <= 32 || byte == 127 { isOdd = true } }
    return !isOdd
  }

  /// Ignores case; `text` is in lower case.
  private static func begins(
    _ bytes: UnsafeBufferPointer<UInt8>, with text: StaticString
  ) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return bytes.count >= wanted.count
      && wanted.indices.allSatisfy { index in
        let byte = bytes[index]
        return (65...90).contains(byte) ? byte | 32 == wanted[index] : byte == wanted[index]
      }
  }

  // MARK: Numbers and truth

  private mutating func readNumber(
    _ value: JSONValue, _ field: Field, _ row: RowBuffer, _ slot: Int
  ) -> Outcome {
    if field.hasAbsent, value.withRawNumber(field.isAbsent) == true { return .absent }
    switch field.kind {
    case .integer: return readInteger(value, row, slot, value)
    case .text:
      value.withRawNumber { row.setText(slot, $0) }
      return .stored
    case .real:
      guard let real = value.real else { return .misfit(.tooLarge, value) }
      row.setReal(slot, real)
      return .stored
    case .boolean:
      guard let integer = value.integer, integer == 0 || integer == 1 else {
        return .misfit(.noBoolean, value)
      }
      row.setInteger(slot, integer)
      return .stored
    case .date, .time:
      guard let seconds = value.real else { return .misfit(.noTime, value) }
      return storeEpoch(seconds, field.kind, row, slot, value)
    case .json, .url: return .misfit(.wrongKind("a number"), value)
    }
  }

  private func readBoolean(
    _ isTrue: Bool, _ field: Field, _ row: RowBuffer, _ slot: Int, _ value: JSONValue
  ) -> Outcome {
    switch field.kind {
    case .boolean: row.setInteger(slot, isTrue ? 1 : 0)
    case .text: row.setText(slot, isTrue ? "true" : "false")
    default: return .misfit(.wrongKind("true or false"), value)
    }
    return .stored
  }
}
