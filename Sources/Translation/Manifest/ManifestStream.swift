internal import Base
internal import Drafting

/// One stream of a manifest on its way into a job file.
struct ManifestStream {
  struct Column {
    var name: String
    /// `id as integer`, or as it is written, where it is not read from the record: `"{team}"`.
    var source: String
    var isObject = false
    var path: [String] = []
  }

  /// Requested for each record of another.
  struct Feed {
    var stream: String
    var column: String
    var carried: [String] = []
  }

  var name: String
  var title: String
  var line: Int
  var isPost = false
  /// `https://{shop}.example.com/v1/things`, with the holes of the request.
  var address = ""
  var query: [(name: String, values: [String])] = []
  var headers: [(name: String, value: String)] = []
  /// With `post`, as JSON.
  var body: String?
  var form: [(name: String, value: String)] = []
  var feed: Feed?
  /// Where each value of a partition comes from: its hole.
  var holes: [String: String] = [:]
  /// The parent among the job's streams, and its own partition's fields: their holes.
  var parent: Int?
  var outerFields: [String: String] = [:]
  /// Where the parent's record holds a field, and whether it is asked for as a whole.
  var keyPaths: [String: [String]] = [:]
  var usesKey = false
  /// The parameter that carries a token where paging does not say it, and its first one.
  var tokenName: (name: String, first: String?)?
  /// Members of the parent's record that go along.
  var extraPaths: [String: [String]] = [:]
  /// Rules for answers that are no pages.
  var errors: [String] = []
  /// Members that the manifest computes from each record, and that no column holds.
  var computed: Set<String> = []
  /// Columns that the manifest adds to records.
  var addedPaths: [String: String] = [:]
  /// The member of the last record that names the next page.
  var lastPath: [String]?
  /// Parameters of the query that are the ends of a window, and how they are written.
  var windowNames: (from: (name: String, format: String?)?, to: (name: String, format: String?)?)
  /// These are places in the body.
  var hasEndsInBody = false
  /// The ends of a window stand within other texts.
  var holdsEnds = false
  var endsFormat: String?
  /// Parameters in places where they must have a value.
  var settingHoles: Set<String> = []
  var pages: [String] = []
  var window: [String] = []
  var records = "."
  var key: [String] = []
  var columns: [Column] = []
  var keep: String?
  /// What a person should know, by the place it belongs to.
  var remarks: [(place: Place, text: String)] = []
  /// What the manifest says and the job does not.
  var losses: [String] = []

  enum Place { case head, request, pages, window, records, columns }

  mutating func remark(_ place: Place, _ text: String) { remarks.append((place, text)) }

  mutating func lose(_ place: Place, _ text: String) {
    losses.append(text)
    remarks.append((place, "Not translated: \(text)."))
  }

  /// The column of a path, which is added where there is none.
  mutating func column(
    at path: [String], type: String? = nil, taken reserved: Set<String> = []
  ) -> String {
    if let found = columns.first(where: { $0.path == path && !$0.isObject }) { return found.name }
    var taken = Set(columns.map(\.name)).union(reserved)
    let name = PlainName.unique(
      DraftNames.plain(path.joined(separator: "_"), else: "value"), &taken)
    columns.append(
      Column(
        name: name, source: JSONPath.text(of: path) + (type.map { " as \($0)" } ?? ""),
        path: path))
    return name
  }

  /// A column that holds a value of the request.
  mutating func column(holding hole: String, as wished: String) -> String {
    let source = "\"{\(hole)}\""
    if let found = columns.first(where: { $0.source == source }) { return found.name }
    var taken = Set(columns.map(\.name))
    let name = PlainName.unique(DraftNames.plain(wished, else: hole), &taken)
    columns.append(Column(name: name, source: source, isObject: true))
    return name
  }
}

/// A stream that no job can say, and why.
struct Untranslated: Error {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}
