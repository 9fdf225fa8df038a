internal import Base

/// A column whose name is part of a digest.
struct NamedSlot {
  let slot: Int
  /// With its word, in the form in which a value is digested.
  let name: [UInt8]

  init(_ name: String, _ slot: Int) {
    self.slot = slot
    let row = RowBuffer(columns: 1)
    row.clear()
    row.setText(0, name)
    var bytes: [UInt8] = []
    row.withDigested(0) { bytes += $0 }
    self.name = bytes
  }
}

/// The values of one row between the answer and the statement: no Swift String or dictionary per
/// field. Each value is in one growing piece of memory, as a word (storage class and length) and
/// its bytes, padded to 8; a digest of the row is computed over just those bytes.
///
/// For example, the text "abc" is the words 0x0303 (class 3, three bytes) and "abc" + 5 zeros.
final class RowBuffer {
  struct Slot {
    var kind: SQLKind = .null
    /// Where its bytes begin, after the word; and their number without padding.
    var start = 0
    var count = 0
  }

  /// An array would check at each access whether it is uniquely referenced.
  private let slots: UnsafeMutableBufferPointer<Slot>
  private var memory: UnsafeMutableRawPointer
  private(set) var capacity = 4096
  private var used = 0

  init(columns: Int) {
    slots = .allocate(capacity: columns)
    slots.initialize(repeating: Slot())
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    slots.deallocate()
    memory.deallocate()
  }

  /// Begins the next row: all NULL.
  func clear() {
    used = 0
    for index in slots.indices { slots[index] = Slot() }
    // One NULL word, shared by all of them.
    _ = place(.null, count: 0, at: nil)
  }

  /// The memory that the row uses now.
  var byteCount: Int { used }

  func setNull(_ index: Int) { slots[index] = Slot() }

  func setInteger(_ index: Int, _ value: Int64) {
    place(.integer, count: 8, at: index).storeBytes(of: value.littleEndian, as: Int64.self)
  }

  func setReal(_ index: Int, _ value: Double) {
    // SQLite stores -0.0 as 0. Neither JSON nor SQLite has NaN.
    let bits = (value == 0 ? 0 : value).bitPattern
    place(.real, count: 8, at: index).storeBytes(of: bits.littleEndian, as: UInt64.self)
  }

  func setText(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
    set(index, .text, UnsafeRawBufferPointer(bytes))
  }

  func set(_ index: Int, _ value: SQLValue) {
    switch value {
    case .null: setNull(index)
    case .integer(let value): setInteger(index, value)
    case .real(let value): setReal(index, value)
    case .text(let value): setText(index, value)
    case .blob(let value): value.withUnsafeBytes { set(index, .blob, $0) }
    }
  }

  /// Whether a column of a statement's row has the same value, of the same class.
  func isEqual(_ index: Int, to statement: Statement, column: Int) -> Bool {
    let kind = slots[index].kind
    guard kind == statement.kind(column) else { return false }
    switch kind {
    case .null: return true
    case .integer: return integer(index) == statement.integer(column)
    case .real: return real(index) == statement.real(column)
    case .text, .blob:
      return statement.withBytes(column) { stored in
        withBytes(index) { $0.elementsEqual(stored ?? .init(start: nil, count: 0)) }
      }
    }
  }

  private func set(_ index: Int, _ kind: SQLKind, _ bytes: UnsafeRawBufferPointer) {
    let target = place(kind, count: bytes.count, at: index)
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
  }

  func setText(_ index: Int, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { setText(index, $0) }
  }

  func setText(_ index: Int, _ text: String) {
    var text = text
    text.withUTF8 { setText(index, $0) }
  }

  /// Copies another row's value, byte for byte.
  func copy(_ index: Int, from source: RowBuffer, _ sourceIndex: Int) {
    let slot = source.slots[sourceIndex]
    guard slot.kind != .null else {
      setNull(index)
      return
    }
    let target = place(slot.kind, count: slot.count, at: index)
    target.copyMemory(from: source.memory + slot.start, byteCount: slot.count)
  }

  /// Copies a column of a statement's row.
  func set(_ index: Int, from statement: Statement, column: Int) {
    switch statement.kind(column) {
    case .null: setNull(index)
    case .integer: setInteger(index, statement.integer(column))
    case .real: setReal(index, statement.real(column))
    case .text, .blob:
      statement.withBytes(column) { bytes in
        setText(index, (bytes ?? .init(start: nil, count: 0)).bindMemory(to: UInt8.self))
      }
    }
  }

  /// Copies an argument of a function, a blob as a blob.
  @inline(__always)
  func set(_ index: Int, from call: FunctionCall, _ argument: Int) {
    let kind = call.kind(argument)
    switch kind {
    case .null: setNull(index)
    case .integer: setInteger(index, call.integer(argument))
    case .real: setReal(index, call.real(argument))
    case .text, .blob: call.withBytes(argument, of: kind) { set(index, kind, $0) }
    }
  }

  func isNull(_ index: Int) -> Bool { slots[index].kind == .null }
  func kind(_ index: Int) -> SQLKind { slots[index].kind }

  func integer(_ index: Int) -> Int64 {
    Int64(littleEndian: memory.load(fromByteOffset: slots[index].start, as: Int64.self))
  }

  func real(_ index: Int) -> Double { Double(bitPattern: UInt64(bitPattern: integer(index))) }

  /// The bytes of a text, valid until the row changes.
  func withText<T>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    let slot = slots[index]
    let start = (memory + slot.start).assumingMemoryBound(to: UInt8.self)
    return body(UnsafeBufferPointer(start: start, count: slot.kind == .text ? slot.count : 0))
  }

  /// The bytes of a text or a blob, valid until the row changes.
  func withBytes<T>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    let slot = slots[index]
    let isHere = slot.kind == .blob || slot.kind == .text
    return body(UnsafeRawBufferPointer(start: memory + slot.start, count: isHere ? slot.count : 0))
  }

  /// The value as text for people and keys; nil for NULL.
  func text(_ index: Int) -> String? {
    switch slots[index].kind {
    case .null: nil
    case .integer: String(integer(index))
    case .real: String(real(index))
    case .text, .blob: withText(index) { String(decoding: $0, as: UTF8.self) }
    }
  }

  func value(_ index: Int) -> SQLValue {
    switch slots[index].kind {
    case .null: .null
    case .integer: .integer(integer(index))
    case .real: .real(real(index))
    case .text, .blob: .text(text(index) ?? "")
    }
  }

  /// - Parameter lent: SQLite reads the row's own memory, which stays until the statement has run.
  func bind(
    _ index: Int, to statement: Statement, at parameter: Int, lent: Bool = false
  ) throws(SQLiteError) {
    let slot = slots[index]
    switch slot.kind {
    case .null: try statement.bindNull(parameter)
    case .integer: try statement.bind(parameter, integer(index))
    case .real: try statement.bind(parameter, real(index))
    case .text, .blob:
      let start = (memory + slot.start).assumingMemoryBound(to: UInt8.self)
      try statement.bindText(
        parameter, UnsafeBufferPointer(start: start, count: slot.count), lent: lent)
    }
  }

  /// The digest of the values of some columns, with their classes and lengths.
  func digest(of columns: [Int]) -> UInt64 {
    var digest = Digest64()
    // Adjacent values are added at once.
    var part = 0..<0
    for index in columns {
      let bytes = bytes(index)
      if bytes.lowerBound == part.upperBound {
        part = part.lowerBound..<bytes.upperBound
      } else {
        digest.add(UnsafeRawBufferPointer(start: memory + part.lowerBound, count: part.count))
        part = bytes
      }
    }
    digest.add(UnsafeRawBufferPointer(start: memory + part.lowerBound, count: part.count))
    return digest.value
  }

  /// The digest of the values that are not NULL, each after its column's name.
  func digest(of columns: [NamedSlot]) -> UInt64 {
    var digest = Digest64()
    for column in columns where !isNull(column.slot) {
      column.name.withUnsafeBytes { digest.add($0) }
      add(column.slot, to: &digest)
    }
    return digest.value
  }

  /// Passes a value with its word, as digests read it.
  func withDigested(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let bytes = bytes(index)
    body(UnsafeRawBufferPointer(start: memory + bytes.lowerBound, count: bytes.count))
  }

  /// The same, followed by a blob.
  func digest(of columns: [Int], then blob: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    var digest = Digest64()
    for index in columns { add(index, to: &digest) }
    let word = UInt64(blob.count) << 8 | UInt64(SQLKind.blob.rawValue)
    withUnsafeBytes(of: word.littleEndian) { digest.add($0) }
    digest.add(UnsafeRawBufferPointer(rebasing: blob))
    return digest.value
  }

  func add(_ index: Int, to digest: inout Digest64) { withDigested(index) { digest.add($0) } }

  /// The place of its word and bytes. NULL's shared word is at the beginning.
  private func bytes(_ index: Int) -> Range<Int> {
    let slot = slots[index]
    return slot.kind == .null ? 0..<8 : (slot.start - 8)..<(slot.start + Self.filled(slot.count))
  }

  private static func filled(_ count: Int) -> Int { (count + 7) & ~7 }

  /// Writes the word and the padding, and returns the place for the bytes.
  @discardableResult @inline(__always)
  private func place(_ kind: SQLKind, count: Int, at index: Int?) -> UnsafeMutableRawPointer {
    let filled = Self.filled(count)
    if used + 8 + filled > capacity { grow(to: used + 8 + filled) }
    let word = UInt64(count) << 8 | UInt64(kind.rawValue)
    memory.storeBytes(of: word.littleEndian, toByteOffset: used, as: UInt64.self)
    let start = used + 8
    if filled > count {
      memory.storeBytes(of: 0, toByteOffset: start + filled - 8, as: UInt64.self)
    }
    used = start + filled
    if let index { slots[index] = Slot(kind: kind, start: start, count: count) }
    return memory + start
  }

  /// A row is at most as long as its document (256 MB), plus what SQL expressions add.
  private func grow(to needed: Int) {
    let larger = max(needed, capacity * 2)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    memory.copyMemory(from: self.memory, byteCount: used)
    self.memory.deallocate()
    self.memory = memory
    capacity = larger
  }
}
