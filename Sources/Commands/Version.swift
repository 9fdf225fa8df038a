/// What this program calls itself.
enum Version {
  static let number = "0.1.0"
  static let userAgent = "trawl/\(number) (mirrors paged web APIs into SQLite)"
}
