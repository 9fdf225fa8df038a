internal import Model
internal import SQLite

/// The answers that a unit's stored pages were made of. An answer that comes again, byte for byte, says
/// what its page says; whether the rows still do, only the store knows.
struct KnownAnswers: Sendable {
  /// Over all but the answer that decides on the rows: the program that reads it, the columns, the request.
  private let seed: UInt64
  /// Records say where they stand: the same answer elsewhere in the list is another one.
  private let countsPlaces: Bool
  private var pages: [UInt64: Int64] = [:]

  /// Nil: the rows of the stream hang on more than one answer.
  init?(_ unit: OpenUnit, program: String) {
    let plan = unit.plan
    guard let shape = plan.shape else { return nil }
    var digest = Digest64()
    digest.addField(program)
    digest.addField(shape)
    for part in [UInt64(bitPattern: unit.id), unit.prints.request, unit.prints.mapping] {
      withUnsafeBytes(of: part.littleEndian) { digest.add($0) }
    }
    for parameter in unit.parameters {
      digest.addField(parameter.name)
      digest.addField(parameter.value)
    }
    seed = digest.value
    countsPlaces = plan.hasPosition || plan.list != nil
  }

  /// - Parameter seal: what the seal of a page is where nothing has damaged it: nobody stands for one that
  ///   another hand has changed.
  mutating func read(
    _ window: Int64, seal: String, _ connection: Connection
  ) throws(SQLiteError) {
    let known = try connection.rows(
      "SELECT answer_print, page FROM trawl_pages WHERE window = ? AND answer_print IS NOT NULL "
        + "AND \(Seals.column) IS \(seal) ORDER BY page", [.integer(window)]
    ) { (UInt64(bitPattern: $0.integer(0)), $0.integer(1)) }
    pages = Dictionary(known) { $1 }
  }

  /// Of what was requested and what came; nil: it must be read.
  /// - Parameter before: how many records stand before the page; nil: nobody knows yet.
  func print(of page: Page, at step: Step, before: Int?) -> UInt64? {
    guard step.purpose == .page, let body = page.bodyDigest, page.damaged.isEmpty,
      !countsPlaces || before != nil
    else { return nil }
    var digest = Digest64()
    digest.addField(step.target)
    for part in [seed, body, UInt64(countsPlaces ? before ?? 0 : 0)] {
      withUnsafeBytes(of: part.littleEndian) { digest.add($0) }
    }
    return digest.value
  }

  /// The page that was made of the same answer to the same request.
  func page(_ print: UInt64?) -> Int64? { print.flatMap { pages[$0] } }
}
