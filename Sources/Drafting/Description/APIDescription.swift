public import Base

/// An OpenAPI 3 description, searched for paths that list records.
public struct APIDescription: Sendable {
  /// A path whose answer has a list.
  public struct List: Sendable {
    var path: String
    var about: String
    var parameters: [Parameter]
    /// The steps to its records.
    var records: [String]
    var columns: [(path: [String], type: String?)]
    /// Members of its records, or whole parts of them, without a column in the draft.
    var left: Int
    var key: String?
  }

  struct Parameter: Sendable {
    enum Place: String { case path, query, header }

    var name: String
    var place: Place
    var isRequired: Bool
    var about: String
    var value: String?
    var most: Int?
  }

  public private(set) var lists: [List] = []
  private(set) var server: String
  public private(set) var place: Credential.Place?
  /// Parts of the security that no draft can express.
  private(set) var securityRemark: String?
  let title: String
  /// Only one of its paths was read.
  let isOfOnePath: Bool

  /// Lists beyond `listsMax`.
  public private(set) var listsLeft = 0
  /// More lists than this suit neither a job nor a reader.
  static let listsMax = 50
  private static let columnsMax = 100
  private static let partsMax = 20
  private static let depthMax = 30

  /// - Parameter only: only this path.
  public init(_ bytes: [UInt8], title: String, only: String? = nil) throws(DraftProblem) {
    let root: JSONValue
    do { root = try JSONDocument.read(bytes).root } catch {
      throw DraftProblem("\(title): \(error)")
    }
    guard let version = root.at("openapi")?.text, version.hasPrefix("3.") else {
      throw DraftProblem(
        root.at("swagger") == nil
          ? "\(title):1: not an OpenAPI description: it has no \"openapi\""
          : "\(title):1: this is Swagger \(root.at("swagger")?.text?.shown ?? ""); only OpenAPI 3 is read"
      )
    }
    self.title = title
    isOfOnePath = only != nil
    server = Self.server(root)
    for member in root.at("paths")?.pairs ?? [] where only == nil || member.key == only {
      guard let list = Self.list(member.key, Self.followed(member.value, root), root) else {
        continue
      }
      if lists.count < Self.listsMax { lists.append(list) } else { listsLeft += 1 }
    }
    readSecurity(root)
    guard lists.isEmpty else { return }
    let known = (root.at("paths")?.pairs ?? []).map(\.key)
    guard let only, known.contains(only) else {
      throw DraftProblem(
        only.map { "\(title): there is no path \($0.shown)" }
          ?? "\(title): no path of it answers GET with a list")
    }
    throw DraftProblem("\(title): GET \(only.shown) answers with no list")
  }

  // MARK: servers and security

  private static func server(_ root: JSONValue) -> String {
    let first = root.at("servers")?.entries?.first
    var url = first?.at("url")?.text ?? ""
    for variable in first?.at("variables")?.pairs ?? [] {
      let value = variable.value.at("default")?.text ?? "example"
      url = url.replacing("{\(variable.key)}", with: value)
    }
    while url.hasSuffix("/") { url.removeLast() }
    return url.hasPrefix("//") ? "https:" + url : url
  }

  private mutating func readSecurity(_ root: JSONValue) {
    let schemes = root.at("components")?.at("securitySchemes")
    // Each entry is enough: one that names less is tried first.
    let wanted = (root.at("security")?.entries ?? []).map { ($0.pairs ?? []).map(\.key) }
      .sorted { $0.count < $1.count }
    let names = wanted.joined().isEmpty ? (schemes?.pairs ?? []).map(\.key) : Array(wanted.joined())
    for name in names {
      guard let scheme = schemes?.at(name).map({ Self.followed($0, root) }) else { continue }
      switch (
        scheme.at("type")?.text, scheme.at("in")?.text, scheme.at("scheme")?.text?.lowercased()
      ) {
      case ("apiKey"?, "header"?, _):
        place = scheme.at("name")?.text.map { .header(name: $0, prefix: "") }
      case ("apiKey"?, "query"?, _): place = scheme.at("name")?.text.map { .query(name: $0) }
      case ("http"?, _, "bearer"?): place = .header(name: "Authorization", prefix: "Bearer ")
      case ("http"?, _, "basic"?): place = .basic(user: nil)
      default:
        securityRemark =
          "it names the security \(name.shown) (\(scheme.at("type")?.text?.shown ?? "of no type"))"
      }
      guard place != nil else { continue }
      // What one requirement names goes together.
      let others = (wanted.first { $0.contains(name) } ?? []).filter { $0 != name }.map(\.shown)
      return securityRemark =
        others.isEmpty ? nil : "it names the security \(others.joined(separator: ", ")) as well"
    }
  }

  // MARK: lists

  /// Follows a `$ref`, a few steps at most.
  static func followed(_ node: JSONValue, _ root: JSONValue) -> JSONValue {
    var node = node
    for _ in 0..<depthMax {
      guard let text = node.at("$ref")?.text, text.hasPrefix("#/") else { return node }
      var target: JSONValue? = root
      for step in text.dropFirst(2).split(separator: "/") {
        // In a JSON Pointer `~1` is `/`, and `~0` is `~`.
        target = target?.at(String(step).replacing("~1", with: "/").replacing("~0", with: "~"))
      }
      guard let target else { return node }
      node = target
    }
    return node
  }

  private static func list(_ path: String, _ item: JSONValue, _ root: JSONValue) -> List? {
    guard path.hasPrefix("/"), let get = item.at("get") else { return nil }
    let responses = get.at("responses")
    guard
      let answer = (responses?.at("200") ?? responses?.at("default")).map({ followed($0, root) })
    else {
      return nil
    }
    let content = answer.at("content")?.pairs ?? []
    let json = content.first { $0.key.lowercased().holds("json") }?.value
    guard let schema = json?.at("schema").map({ followed($0, root) }),
      let (records, items) = records(schema, root, [])
    else { return nil }
    var parameters: [Parameter] = []
    for node in (item.at("parameters")?.entries ?? []) + (get.at("parameters")?.entries ?? []) {
      if let found = parameter(followed(node, root), root) { parameters.append(found) }
    }
    let members = shape(items, root).members ?? []
    // cut: the draft says how many are left
    let columns = columns(members.prefix(columnsMax), root)
    let left =
      members.count - columns.count + max(0, (items.at("allOf")?.entries?.count ?? 0) - partsMax)
    let names = columns.map { $0.path[0] }
    let key =
      ["id", "uuid", "key", "slug", "name"].first(where: names.contains)
      ?? names.first { ParameterWords.plain($0).hasSuffix("id") }
    return List(
      path: path, about: (get.at("summary")?.text ?? "").harmless(upTo: 100),
      parameters: parameters,
      records: records, columns: columns, left: left, key: key)
  }

  /// The first list of objects: the answer itself, or a member of it. Returns the schema of its
  /// entries as well.
  private static func records(
    _ schema: JSONValue, _ root: JSONValue, _ path: [String]
  ) -> ([String], JSONValue)? {
    let whole = shape(schema, root)
    if let items = whole.items {
      let entry = followed(items, root)
      return path.isEmpty || shape(entry, root).members != nil ? (path, entry) : nil
    }
    guard path.count < 3 else { return nil }
    for wantsList in [true, false] {
      for member in whole.members ?? [] where JSONPath.isSayable(member.key) {
        let inner = followed(member.value, root)
        let form = shape(inner, root)
        guard (form.items != nil) == wantsList, wantsList || form.members != nil else { continue }
        if !wantsList, path.count == 2 { continue }
        // Such an object is one thing, not the envelope of a list.
        if !wantsList,
          !["data", "result", "results", "_embedded", "response", "page"].contains(member.key)
        {
          continue
        }
        if let found = records(inner, root, path + [member.key]) { return found }
      }
    }
    return nil
  }

  /// The content of a schema: entries, or members, including those under `allOf`.
  private struct Shape {
    var items: JSONValue?
    /// Nil if it is not an object.
    var members: [(key: String, value: JSONValue)]?
  }

  private static func shape(_ schema: JSONValue, _ root: JSONValue) -> Shape {
    let own = schema.at("properties")?.pairs
    guard let all = schema.at("allOf")?.entries else {
      return Shape(items: schema.at("items"), members: own)
    }
    // cut: of a list's records the draft says how many are left
    let parts = all.prefix(partsMax).map { followed($0, root) }
    // Several parts may describe one member.
    var names: Set<String> = []
    let members = (parts.flatMap { $0.at("properties")?.pairs ?? [] } + (own ?? []))
      .filter { names.insert($0.key).inserted }
    if members.isEmpty, let list = parts.first(where: { $0.at("items") != nil }) {
      return Shape(items: list.at("items"), members: list.at("properties")?.pairs)
    }
    return Shape(items: nil, members: members)
  }

  private static func columns(
    _ members: some Sequence<(key: String, value: JSONValue)>, _ root: JSONValue
  ) -> [(path: [String], type: String?)] {
    members.compactMap { member in
      guard JobText.isMember(member.key) else { return nil }
      let schema = followed(member.value, root)
      let types = (schema.at("type").map { $0.entries ?? [$0] } ?? []).compactMap(\.text).filter {
        $0 != "null"
      }
      return ([member.key], type(types, schema))
    }
  }

  private static func type(_ types: [String], _ schema: JSONValue) -> String? {
    guard types.count <= 1 else { return "json" }
    switch types.first {
    case "integer"?: return "integer"
    case "number"?: return "real"
    case "boolean"?: return "boolean"
    case "object"?, "array"?: return "json"
    case nil: return schema.at("properties") != nil || schema.at("allOf") != nil ? "json" : nil
    default:
      switch schema.at("format")?.text {
      case "date-time"?: return "time in UTC"
      case "date"?: return "date"
      default: return nil
      }
    }
  }

  private static func parameter(_ node: JSONValue, _ root: JSONValue) -> Parameter? {
    guard let name = node.at("name")?.text,
      let place = node.at("in")?.text.flatMap(Parameter.Place.init)
    else { return nil }
    let schema = node.at("schema").map { followed($0, root) }
    let value =
      node.at("example") ?? schema?.at("default") ?? schema?.at("example")
      ?? schema?.at("enum")?.entries?.first
    return Parameter(
      name: name, place: place,
      isRequired: place == .path || node.at("required")?.boolean == true,
      about: (node.at("description")?.text ?? name).split { $0.isNewline }.first.map {
        String($0).harmless(upTo: 80)
      } ?? name,
      value: value?.text, most: schema?.at("maximum")?.integer.flatMap { Int(exactly: $0) })
  }
}

/// Readers of a description: null counts as missing, and any scalar has a text.
extension JSONValue {
  func at(_ key: String) -> JSONValue? {
    guard let found = self[key], !found.isNull else { return nil }
    return found
  }

  /// Nil if it is not an object.
  var pairs: [(key: String, value: JSONValue)]? {
    isObject ? members.map { ($0.key.string ?? "", $0.value) } : nil
  }

  /// Nil if it is not a list.
  var entries: [JSONValue]? { isArray ? Array(elements) : nil }

  var text: String? { string ?? rawNumber ?? boolean.map { String($0) } }
}
