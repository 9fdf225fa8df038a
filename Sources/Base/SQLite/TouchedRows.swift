internal import Glibc

/// Which rows of one table were touched: all of them while they are few. Of very many that were inserted,
/// as in a first load, how many they are and a few of the latest.
public final class TouchedRows {
  /// Of the inserted ones, so many are known whatever their number.
  static let latestMax = 25

  private let name: [CChar]
  private let allMax: Int
  /// Inserted, updated or deleted, also by what was rolled back. Nil: they are too many.
  public private(set) var all: Set<Int64>? = []
  /// How many were inserted; nil: nobody knows.
  public private(set) var inserted: Int? = 0
  /// Rows that were updated, those among them that had been inserted before included.
  public private(set) var updated: Set<Int64> = []
  /// Of the present moment, and of those before it from the latest on: the smallest numbers, in order.
  private var now: [Int64] = []
  private var before: [Int64] = []
  private var moment = 0

  init(_ table: UnsafePointer<CChar>, allMax: Int) {
    self.allMax = allMax
    // The zero at its end is a part of it.
    name = Array(UnsafeBufferPointer(start: table, count: strlen(table) + 1))
  }

  /// Of the inserted ones the latest, those with the smallest numbers first, in that order.
  // cut: a few; `inserted` is how many there are
  public var latest: [Int64] { Array((now + before).prefix(Self.latestMax)) }

  func isOf(_ table: UnsafePointer<CChar>) -> Bool { strcmp(name, table) == 0 }

  func add(_ row: Int64, isInserted: Bool, isDeleted: Bool, _ moment: RowChanges.Moment) {
    if all != nil {
      all?.insert(row)
      if let count = all?.count, count > allMax { all = nil }
    }
    guard let count = inserted else { return }
    if isInserted {
      inserted = count + 1
      noteLatest(row, moment.number)
    } else {
      updated.insert(row)
      if isDeleted || updated.count > allMax { forgetInserted() }
    }
  }

  func forgetInserted() {
    inserted = nil
    updated = []
    (now, before) = ([], [])
  }

  private func noteLatest(_ row: Int64, _ moment: Int) {
    if moment != self.moment {
      before = latest
      now.removeAll(keepingCapacity: true)
      self.moment = moment
    }
    if now.count == Self.latestMax {
      guard let last = now.last, row < last else { return }
      now.removeLast()
    }
    // From the end: rows of a page come in rising order.
    let place = (now.lastIndex { $0 < row } ?? -1) + 1
    now.insert(row, at: place)
  }
}
