internal import Base
internal import Drafting

/// One stream of a manifest during its translation.
struct ManifestStream {
  struct Column {
    var name: String
    /// `id as integer`, or a template if it is not read from the record: `"{team}"`.
    var source: String
    var isObject = false
    var path: [String] = []
    /// Its schema type, if single.
    var type: String?
  }

  /// The parent, if the stream is requested for each record of another one.
  struct Feed {
    var stream: String
    var column: String
    var carried: [String] = []
  }

  var name: String
  var table: String
  var title: String
  var line: Int
  var isPost = false
  /// `https://{shop}.example.com/v1/things`, with the request's placeholders.
  var address = ""
  var query: [(name: String, values: [String])] = []
  /// Parameters that are part of the path, and those of partitions.
  var pathQuery: Set<String> = []
  var sliced: Set<String> = []
  /// Secrets among the request's parameters and header fields.
  var secrets: Set<String> = []
  var headers: [(name: String, value: String)] = []
  /// The body of a `post`, as JSON.
  var body: String?
  var form: [(name: String, value: String)] = []
  var feed: Feed?
  /// The placeholder of each partition field.
  var holes: [String: String] = [:]
  /// The parent among the job's streams, and the placeholders of its own partition's fields.
  var parent: Int?
  var outerFields: [String: String] = [:]
  /// Where the parent's record has a field, and whether the whole field is used.
  var keyPaths: [String: [String]] = [:]
  var usesKey = false
  /// The parameter for a token whose place paging does not name, and its first value.
  var tokenName: (name: String, first: String?)?
  /// Members of the parent's record that are carried along.
  var extraPaths: [String: [String]] = [:]
  /// Rules for answers that are not pages.
  var errors: [String] = []
  /// How far back each read reaches, as a job's duration.
  var lookback: String?
  /// Members that the manifest computes for each record, and that have no column.
  var computed: Set<String> = []
  /// Columns that the manifest adds to records.
  var addedPaths: [String: String] = [:]
  /// Members that the manifest replaces once it has filtered, and that the filter has not named yet.
  var replaced: Set<String> = []
  /// The member of the last record that names the next page.
  var lastPath: [String]?
  /// Query parameters for the ends of a window.
  var windowNames: (from: String?, to: String?)
  /// The ends of the window go into the body.
  var hasEndsInBody = false
  /// The ends of the window are parts of longer texts.
  var holdsEnds = false
  /// The formats of the ends; an empty one is the window's.
  var endFormats: Set<String> = []
  /// Parameters in places that need a value.
  var settingHoles: Set<String> = []
  /// `by` of the job's `pages`, and the other members.
  var pager = ""
  var pages: [String] = []
  var window: [String] = []
  /// The column with the times of the window, and how far the next read overlaps.
  var time: (column: String, overlap: String)?
  var records = "."
  var key: [String] = []
  var columns: [Column] = []
  var keep: String?
  /// What the user should know, by the place it belongs to.
  var remarks: [(place: Place, text: String)] = []
  /// What the manifest says but the job does not.
  var losses: [String] = []

  enum Place { case head, request, pages, window, records, columns }

  mutating func remark(_ place: Place, _ text: String) { remarks.append((place, text)) }

  mutating func lose(_ place: Place, _ text: String) {
    losses.append(text)
    remarks.append((place, "Not translated: \(text)."))
  }

  /// Several values of one parameter are sent one after another.
  mutating func addQuery(_ name: String, _ value: String) {
    if let at = query.firstIndex(where: { $0.name == name }) {
      query[at].values.append(value)
    } else {
      query.append((name, [value]))
    }
  }

  /// The column for a path, added if missing.
  mutating func column(at path: [String]) -> String {
    if let found = columns.first(where: { $0.path == path && !$0.isObject }) { return found.name }
    var taken = Set(columns.map(\.name))
    let name = PlainName.unique(
      DraftNames.plain(path.joined(separator: "_"), else: "value"), &taken)
    columns.append(Column(name: name, source: JSONPath.text(of: path), path: path))
    return name
  }

  /// The column that a filter reads. If the manifest then replaces the member, what came keeps a column of its own.
  mutating func column(filteredAt path: [String]) -> String {
    let name = column(at: path)
    guard path.count == 1, replaced.remove(path[0]) != nil,
      let at = columns.firstIndex(where: { $0.name == name })
    else { return name }
    var taken = Set(columns.map(\.name))
    columns[at].name = PlainName.unique("\(name)_before", &taken)
    return columns[at].name
  }

  /// A column with a value of the request.
  mutating func column(holding hole: String, as wished: String) -> String {
    let source = "\"{\(hole)}\""
    if let found = columns.first(where: { $0.source == source }) { return found.name }
    var taken = Set(columns.map(\.name))
    let name = PlainName.unique(DraftNames.plain(wished, else: hole), &taken)
    columns.append(Column(name: name, source: source, isObject: true))
    return name
  }
}
