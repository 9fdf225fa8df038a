internal import Base

/// Computes the digests of a table's rows again, and notes what its lists hold, while SQLite reads
/// the table once.
///
/// A row arrives as the arguments of a function in the statement's WHERE: a bare loop in C over
/// 100,000 rows of 18 columns takes 62 ms this way, digests included, and 70 ms if it asks the
/// statement for each column. A function has at most 127 arguments, so a wide row comes in parts,
/// each an argument of the next.
final class RowCheck {
  /// A digest that the table keeps of some of its columns. An object: as values their lists were
  /// copied for each row, which took 4 % of a proof's instructions.
  final class Test {
    let names: [String]
    /// Every row has a seal; another digest is zero if no stream has filled its columns yet.
    let isSeal: Bool
    /// Where it begins in the row's digests.
    private let start: Int
    private let values: [Int]
    private let filled: [Int]
    /// For found columns the names are part of the digest.
    private let named: [NamedSlot]?

    fileprivate init(
      _ part: TableDesign.Part, _ index: Int, key: [String], place: (String) -> Int
    ) {
      names = part.columns
      isSeal = part.name == TableDesign.digests
      // The columns of a digest are adjacent: it is computed over all of them at once.
      values = part.columns.map(place)
      start = isSeal ? 0 : TableDesign.partBytes * (index + 1)
      filled = part.columns.filter { !key.contains($0) }.map(place)
      named = part.isFound ? part.columns.map { NamedSlot($0, place($0)) } : nil
    }

    fileprivate func fails(_ row: RowBuffer, _ digests: UnsafeRawBufferPointer) -> Bool {
      guard start + TableDesign.partBytes <= digests.count else { return true }
      let stored = UInt64(
        littleEndian: digests.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      if isSeal { return stored != row.digest(of: values, then: digests[TableDesign.partBytes...]) }
      if stored == 0 { return !filled.allSatisfy(row.isNull) }
      return stored != max(named.map { row.digest(of: $0) } ?? row.digest(of: values), 1)
    }
  }

  private final class List {
    let list: WholeList
    private let key: [Int]
    private let part: Range<Int>?
    private(set) var rows = ListedRows()

    init(_ list: WholeList, place: (String) -> Int) {
      self.list = list
      key = list.key.map(place)
      part = list.part.map { part in
        let start = TableDesign.partBytes * (part + 1)
        return start..<start + TableDesign.partBytes
      }
    }

    func note(_ row: RowBuffer, _ digests: UnsafeRawBufferPointer, isPresent: Bool) {
      if let part, part.upperBound <= digests.count, digests[part].allSatisfy({ $0 == 0 }) {
        return
      }
      rows.note(row.digest(of: key), isPresent: isPresent)
    }
  }

  private(set) var rows = 0
  /// Rows that are not marked as gone.
  private(set) var present = 0
  /// The tests that the current row fails.
  private(set) var failed: [Test] = []

  private let tests: [Test]
  private let name: String
  private let columns: [String]
  private let vanished: Int?
  private let digests: Int
  private let lists: [List]
  private let row: RowBuffer

  private static let partMax = 100

  /// - Parameters:
  ///   - name: the name of the function; this connection has none with it yet.
  ///   - isMarked: whether the table marks rows as gone.
  init(
    _ name: String, _ parts: [TableDesign.Part], key: [String], lists: [WholeList], isMarked: Bool
  ) {
    var columns: [String] = []
    func place(_ column: String) -> Int {
      if let place = columns.firstIndex(of: column) { return place }
      columns.append(column)
      return columns.count - 1
    }
    tests = parts.enumerated().map { Test($1, $0, key: key, place: place) }
    digests = place(TableDesign.digests)
    self.lists = lists.map { List($0, place: place) }
    vanished = isMarked ? place("vanished_at") : nil
    self.name = name
    self.columns = columns
    row = RowBuffer(columns: columns.count)
  }

  /// The table has been read: queries of single rows from here on count nothing.
  var isRead = false

  /// What the lists hold, as far as the table was read.
  var whole: [(list: WholeList, rows: ListedRows)] { lists.map { ($0.list, $0.rows) } }

  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define(name, arguments: -1, isDeterministic: false) { [self] in take($0) }
  }

  /// SQL that is true for a row, with the alias `t`, that is not as it was stored.
  var damage: String {
    stride(from: 0, to: columns.count, by: Self.partMax).reduce("0") { taken, first in
      let part = columns[first..<min(first + Self.partMax, columns.count)]
      return "\(name)(\(taken), \(part.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")))"
    }
  }

  private func take(_ call: FunctionCall) {
    let first = call.int(0)
    if first == 0 { row.clear() }
    for argument in 1..<call.count { row.set(first + argument - 1, from: call, argument) }
    let taken = first + call.count - 1
    guard taken == columns.count else { return call.result(Int64(taken)) }
    check()
    call.result(failed.isEmpty ? 0 : 1)
  }

  private func check() {
    if !failed.isEmpty { failed = [] }
    row.withBytes(digests) { digests in
      for test in tests where test.fails(row, digests) { failed.append(test) }
      if isRead { return }
      rows += 1
      let isPresent = vanished.map(row.isNull) ?? true
      if isPresent { present += 1 }
      for list in lists { list.note(row, digests, isPresent: isPresent) }
    }
  }
}
