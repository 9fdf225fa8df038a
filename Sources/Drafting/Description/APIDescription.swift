public import Base

/// An OpenAPI 3 description, read for the paths that list.
public struct APIDescription: Sendable {
  public struct Problem: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// A path whose answer holds a list.
  public struct List: Sendable {
    var path: String
    var about: String
    var parameters: [Parameter]
    /// The steps to its records.
    var records: [String]
    var columns: [(path: [String], type: String?)]
    /// Members of its records, or whole parts of them, that have no column here.
    var left: Int
    var key: String?
  }

  struct Parameter: Sendable {
    var name: String
    var isInPath: Bool
    var isRequired: Bool
    var about: String
    var value: String?
    var most: Int?
  }

  public private(set) var lists: [List] = []
  private(set) var server: String
  public private(set) var place: Credential.Place?
  /// What of the security no draft can say.
  private(set) var securityRemark: String?
  let title: String

  /// Lists beyond those.
  public private(set) var listsLeft = 0
  /// A job holds no more, and a person reads no more.
  static let listsMax = 50
  private static let columnsMax = 100
  private static let partsMax = 20
  private static let depthMax = 30

  /// - Parameter only: this path alone.
  public init(_ bytes: [UInt8], title: String, only: String? = nil) throws(Problem) {
    let root = try Self.root(bytes, title)
    guard let version = root["openapi"]?.text, version.hasPrefix("3.") else {
      throw Problem(
        description: root["swagger"] == nil
          ? "\(title):1: not an OpenAPI description: it has no \"openapi\""
          : "\(title):1: this is Swagger \(root["swagger"]?.text?.shown ?? ""); only OpenAPI 3 is read"
      )
    }
    self.title = title
    server = Self.server(root)
    for member in root["paths"]?.members ?? [] where only == nil || member.key == only {
      guard let list = Self.list(member.key, Self.followed(member.value, root), root) else {
        continue
      }
      if lists.count < Self.listsMax { lists.append(list) } else { listsLeft += 1 }
    }
    readSecurity(root)
    guard lists.isEmpty else { return }
    let known = (root["paths"]?.members ?? []).map(\.key)
    guard let only, known.contains(only) else {
      throw Problem(
        description: only.map { "\(title): there is no path \($0.shown)" }
          ?? "\(title): no path of it answers GET with a list")
    }
    throw Problem(description: "\(title): GET \(only.shown) answers with no list")
  }

  private static func root(_ bytes: [UInt8], _ title: String) throws(Problem) -> YAMLNode {
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), bytes.count <= YAMLReader.bytesMax,
      // Else libyaml says what is wrong, with the line.
      let document = try? JSONDocument.read(bytes)
    {
      return YAMLNode(document.root, depth: 0)
    }
    do { return try YAMLReader.read(bytes) } catch {
      throw Problem(description: "\(title):\(error.line): \(error.sentence)")
    }
  }

  // MARK: servers and security

  private static func server(_ root: YAMLNode) -> String {
    let first = root["servers"]?.entries?.first
    var url = first?["url"]?.text ?? ""
    for variable in first?["variables"]?.members ?? [] {
      url = replaced(url, "{\(variable.key)}", by: variable.value["default"]?.text ?? "example")
    }
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }

  private static func replaced(_ text: String, _ hole: String, by value: String) -> String {
    text.split(separator: "{", omittingEmptySubsequences: false).enumerated().map { at, part in
      let name = String(hole.dropFirst())
      guard at > 0 else { return String(part) }
      return part.hasPrefix(name) ? value + part.dropFirst(name.count) : "{" + part
    }.joined()
  }

  private mutating func readSecurity(_ root: YAMLNode) {
    let schemes = root["components", "securitySchemes"]
    let wanted = (root["security"]?.entries ?? []).flatMap { ($0.members ?? []).map(\.key) }
    let names = wanted.isEmpty ? (schemes?.members ?? []).map(\.key) : wanted
    for name in names {
      guard let scheme = schemes?[name].map({ Self.followed($0, root) }) else { continue }
      switch (scheme["type"]?.text, scheme["in"]?.text, scheme["scheme"]?.text?.lowercased()) {
      case ("apiKey"?, "header"?, _):
        place = scheme["name"]?.text.map { .header(name: $0, prefix: "") }
      case ("apiKey"?, "query"?, _): place = scheme["name"]?.text.map { .query(name: $0) }
      case ("http"?, _, "bearer"?): place = .header(name: "Authorization", prefix: "Bearer ")
      case ("http"?, _, "basic"?): place = .basic(user: nil)
      default:
        securityRemark =
          "it names the security \(name.shown) (\(scheme["type"]?.text?.shown ?? "of no type"))"
      }
      if place != nil { return securityRemark = nil }
    }
  }

  // MARK: lists

  /// What a `$ref` names, a few steps far.
  static func followed(_ node: YAMLNode, _ root: YAMLNode) -> YAMLNode {
    var node = node
    for _ in 0..<depthMax {
      guard let text = node["$ref"]?.text, text.hasPrefix("#/") else { return node }
      var target: YAMLNode? = root
      for step in text.dropFirst(2).split(separator: "/") { target = target?[pointed(step)] }
      guard let target else { return node }
      node = target
    }
    return node
  }

  /// A step of a JSON Pointer, which writes `/` as `~1` and `~` as `~0`.
  private static func pointed(_ step: Substring) -> String {
    let parts = step.split(separator: "~", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      text + (part.hasPrefix("1") ? "/" : "~") + part.drop { $0 == "0" || $0 == "1" }
    }
  }

  private static func list(_ path: String, _ item: YAMLNode, _ root: YAMLNode) -> List? {
    guard path.hasPrefix("/"), let get = item["get"] else { return nil }
    let responses = get["responses"]
    guard let answer = (responses?["200"] ?? responses?["default"]).map({ followed($0, root) })
    else {
      return nil
    }
    let content = answer["content"]?.members ?? []
    let json = content.first { $0.key.lowercased().holds("json") }?.value
    guard let schema = json?["schema"].map({ followed($0, root) }),
      let (records, items) = records(schema, root, [])
    else { return nil }
    var parameters: [Parameter] = []
    for node in (item["parameters"]?.entries ?? []) + (get["parameters"]?.entries ?? []) {
      if let found = parameter(followed(node, root), root) { parameters.append(found) }
    }
    let members = merged(items, root)["properties"]?.members ?? []
    // cut: the draft says how many are left
    let columns = columns(members.prefix(columnsMax), root)
    let left =
      max(0, members.count - columnsMax) + max(0, (items["allOf"]?.entries?.count ?? 0) - partsMax)
    let names = columns.map { $0.path[0] }
    let key =
      ["id", "uuid", "key", "slug", "name"].first(where: names.contains)
      ?? names.first { ParameterWords.plain($0).hasSuffix("id") }
    return List(
      path: path, about: (get["summary"]?.text ?? "").harmless(upTo: 100), parameters: parameters,
      records: records, columns: columns, left: left, key: key)
  }

  /// The first list of objects: the answer itself, or a member of it. With what its entries are.
  private static func records(
    _ schema: YAMLNode, _ root: YAMLNode, _ path: [String]
  ) -> ([String], YAMLNode)? {
    let schema = merged(schema, root)
    if let items = schema["items"] {
      let entry = followed(items, root)
      return path.isEmpty || merged(entry, root)["properties"] != nil ? (path, entry) : nil
    }
    guard path.count < 3 else { return nil }
    let members = schema["properties"]?.members ?? []
    for wantsList in [true, false] {
      for member in members where JSONPath.isSayable(member.key) {
        let inner = merged(followed(member.value, root), root)
        guard (inner["items"] != nil) == wantsList, wantsList || inner["properties"] != nil else {
          continue
        }
        if !wantsList, path.count == 2 { continue }
        // An object within an answer about one thing is no envelope of a list.
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

  /// With the members of all that `allOf` names.
  private static func merged(_ schema: YAMLNode, _ root: YAMLNode) -> YAMLNode {
    guard let all = schema["allOf"]?.entries else { return schema }
    // cut: of a list's records the draft says how many are left
    let parts = all.prefix(partsMax).map { followed($0, root) }
    let properties =
      parts.flatMap { $0["properties"]?.members ?? [] } + (schema["properties"]?.members ?? [])
    if properties.isEmpty, let list = parts.first(where: { $0["items"] != nil }) { return list }
    return .map([.init("properties", .map(properties))], line: schema.line)
  }

  private static func columns(
    _ members: some Sequence<YAMLNode.Member>, _ root: YAMLNode
  ) -> [(path: [String], type: String?)] {
    members.compactMap { member in
      guard JSONPath.isSayable(member.key), !member.key.unicodeScalars.contains(where: \.isHostile)
      else { return nil }
      let schema = followed(member.value, root)
      let types = (schema["type"].map { $0.entries ?? [$0] } ?? []).compactMap(\.text).filter {
        $0 != "null"
      }
      return ([member.key], type(types, schema))
    }
  }

  private static func type(_ types: [String], _ schema: YAMLNode) -> String? {
    guard types.count <= 1 else { return "json" }
    switch types.first {
    case "integer"?: return "integer"
    case "number"?: return "real"
    case "boolean"?: return "boolean"
    case "object"?, "array"?: return "json"
    case nil: return schema["properties"] != nil || schema["allOf"] != nil ? "json" : nil
    default:
      switch schema["format"]?.text {
      case "date-time"?: return "time in UTC"
      case "date"?: return "date"
      default: return nil
      }
    }
  }

  private static func parameter(_ node: YAMLNode, _ root: YAMLNode) -> Parameter? {
    guard let name = node["name"]?.text, let place = node["in"]?.text,
      ["path", "query"].contains(place)
    else { return nil }
    let schema = node["schema"].map { followed($0, root) }
    let value =
      node["example"] ?? schema?["default"] ?? schema?["example"] ?? schema?["enum"]?.entries?.first
    return Parameter(
      name: name, isInPath: place == "path",
      isRequired: place == "path" || node["required"]?.boolean == true,
      about: (node["description"]?.text ?? name).split { $0.isNewline }.first.map {
        String($0).harmless(upTo: 80)
      } ?? name,
      value: value?.text, most: schema?["maximum"]?.integer)
  }
}

extension YAMLNode {
  /// A JSON value; what lies too deep is left out.
  init(_ value: JSONValue, depth: Int) {
    if depth > 60 {
      self.init(.scalar("", isPlain: true), line: 1)
    } else if value.isObject {
      self.init(
        .map(
          value.members.map { .init($0.key.string ?? "", YAMLNode($0.value, depth: depth + 1)) }),
        line: 1)
    } else if value.isArray {
      self.init(.list(value.elements.map { YAMLNode($0, depth: depth + 1) }), line: 1)
    } else if let text = value.string {
      self.init(.scalar(text, isPlain: false), line: 1)
    } else {
      self.init(
        .scalar(value.rawNumber ?? value.boolean.map { String($0) } ?? "", isPlain: true), line: 1)
    }
  }
}
