public import Model
internal import SQLite

/// Windows of a list that are certified as declared, joined where they touch: so that a timer
/// which asks for a new window each hour does not leave a row an hour behind.
struct Coverage {
  private let unit: OpenUnit
  private let connection: Connection

  /// Window units that are kept with their certificates; older ones live on in the coverage.
  static let windowsKept = 50

  init(_ unit: OpenUnit, _ connection: Connection) {
    self.unit = unit
    self.connection = connection
  }

  func absorb(_ certificate: Certificate, at issued: Instant) throws(SQLiteError) {
    guard let window = stretch(certificate) else { return }
    let request = SQLValue(bits: unit.prints.request)
    let mapping = SQLValue(bits: unit.prints.mapping)
    let list = SQLValue.integer(unit.list)
    var from = window.from.description
    var to = window.to.description
    var asOf = issued.description
    // UTC text of one width: its order is the order of time.
    let touching: [SQLValue] = [list, request, mapping, .text(from), .text(to)]
    let condition =
      "list_number = ?1 AND request_print = ?2 AND mapping_print = ?3 AND covered_from <= ?5 "
      + "AND covered_to >= ?4"
    let others = try connection.rows(
      "SELECT covered_from, covered_to, as_of FROM trawl_coverage WHERE \(condition)", touching
    ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2) ?? "") }
    for other in others {
      from = min(from, other.0)
      to = max(to, other.1)
      asOf = min(asOf, other.2)
    }
    try connection.run("DELETE FROM trawl_coverage WHERE \(condition)", touching)
    try connection.run(
      "INSERT INTO trawl_coverage (list_number, covered_from, covered_to, request_print, "
        + "mapping_print, "
        + "as_of) VALUES (?, ?, ?, ?, ?, ?)",
      [list, .text(from), .text(to), request, mapping, .text(asOf)])
    try dropSuperseded(list, from: from, to: to)
    try connection.run(
      "DELETE FROM trawl_windows WHERE list_number = ?1 AND window_from <> '' AND is_open = 0 "
        + "AND window NOT IN (SELECT window FROM trawl_windows WHERE list_number = ?1 "
        + "AND window_from <> '' "
        // cut: older windows live on in the coverage
        + "ORDER BY window DESC LIMIT \(Self.windowsKept)) AND window IN ("
        + "SELECT window FROM trawl_certificates c WHERE c.is_as_declared = 1 AND c.standing = "
        + "'valid' AND NOT EXISTS (SELECT 1 FROM trawl_certificates d WHERE d.window = c.window "
        + "AND d.certificate > c.certificate))", [list])
  }

  /// What a certificate covers. A walk of the whole list reaches from the API's beginning
  /// to the moment at which it began; what came later may have come behind it.
  private func stretch(_ certificate: Certificate) -> TimeWindow? {
    if let window = unit.unit.window { return certificate.isAsDeclared ? window : nil }
    guard let rule = unit.plan.stream.window, certificate.verdict.isWhole,
      let began = Instant(stored: unit.beganAt)
    else { return nil }
    let from = rule.reach.map { began - $0 } ?? .beginning
    let to = began - rule.delay
    return from < to ? TimeWindow(from: from, to: to) : nil
  }

  /// Windows inside the stretch that were less than declared, or stood in the middle: other windows
  /// have brought what they lack.
  private func dropSuperseded(
    _ list: SQLValue, from: String, to: String
  ) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM trawl_windows WHERE list_number = ?1 AND window_from >= ?2 AND window_to <= ?3 "
        + "AND window_from <> '' AND window <> ?4 AND (is_open = 1 OR NOT ifnull((SELECT "
        + "c.is_as_declared FROM trawl_certificates c WHERE c.window = trawl_windows.window "
        + "ORDER BY c.certificate DESC LIMIT 1), 0))",
      [list, .text(from), .text(to), .integer(unit.id)])
  }
}

extension Instant {
  /// Stands for "as far back as there is anything": the year 1000. (The year 1 means "no date" to
  /// whoever reads dates.)
  public static let beginning = Instant(seconds: -30_610_224_000)
}
