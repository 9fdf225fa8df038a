import Testing

/// One slip each, in the sound job of `Books`, and all that is told of it: line, column, message.
enum JobProblemTable {
  struct Row: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let told: String

    init(_ old: String, _ new: String, _ told: String) {
      self.old = old
      self.new = new
      self.told = told
    }

    var testDescription: String { new }
  }

  /// A key more at the top of the job, or in its stream of lists.
  static func top(_ more: String, _ told: String) -> Row {
    Row("name: \"books\",", "name: \"books\", \(more)", told)
  }

  static func list(_ more: String, _ told: String) -> Row {
    Row("list: \"hits\"", "list: \"hits\", \(more)", told)
  }

  static let rows = first + second + third + vanish + order + pages + tokens + logins
}
