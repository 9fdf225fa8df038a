internal import Base
internal import Drafting

/// The values that a manifest's user supplies: parameters of the job, or secrets.
struct ManifestSettings {
  struct Setting {
    var about: String
    var fallback: String?
    /// The default, if the setting is a list.
    var list: [String]?
    var examples: [String]
    var isSecret: Bool
    var isRequired: Bool
  }

  struct Parameter {
    var name: String
    var about: String
    var values: [String]?
  }

  private let specification: YAMLNode?
  /// Names of columns, reserved for values of a parent.
  private let reserved: Set<String>
  private(set) var parameters: [Parameter] = []
  private var names: [String: String] = [:]
  private var paths: [String: [String]] = [:]
  private var taken: Set<String> = ["host", "from", "to", "favorites", "record"]

  init(_ manifest: YAMLNode, reserved: Set<String>) {
    specification = manifest["spec", "connection_specification"]
    self.reserved = reserved
    taken.formUnion(reserved)
  }

  subscript(_ path: [String]) -> Setting {
    let (found, isRequired) = Self.find(path, specification, depth: 0) ?? (nil, false)
    let title = found?["title"]?.text ?? path.last ?? ""
    let choices = (found?["enum"]?.texts ?? [])
    let examples = (found?["examples"]?.texts ?? [])
    let isList = found?["type"]?.text == "array"
    return Setting(
      about: title.harmless(upTo: 60), fallback: found?["default"]?.text,
      list: isList ? found?["default"]?.texts ?? [] : nil, examples: choices + examples,
      isSecret: Self.soundsSecret(path.last ?? "")
        || found?["airbyte_secret"]?.boolean == true && !Self.soundsOpen(path.last ?? ""),
      isRequired: isRequired)
  }

  private static func soundsSecret(_ name: String) -> Bool {
    let plain = ParameterWords.plain(name)
    return ["secret", "password", "apikey", "token", "accesskey", "privatekey"].contains {
      plain.hasSuffix($0)
    }
  }

  /// Manifests mark ids and names as secrets, too.
  private static func soundsOpen(_ name: String) -> Bool {
    let plain = ParameterWords.plain(name)
    let open = [
      "id", "ids", "domain", "host", "url", "account", "company", "email", "username", "workspace",
      "project", "region", "name", "subdomain", "location", "site", "organization", "group", "slug",
    ]
    return open.contains { plain.hasSuffix($0) }
  }

  private static func find(
    _ path: [String], _ node: YAMLNode?, depth: Int
  ) -> (YAMLNode?, Bool)? {
    guard let node, let first = path.first, depth < 8 else { return nil }
    let isRequired = (node["required"]?.entries ?? []).contains { $0.text == first }
    if let found = node["properties", first] {
      if path.count == 1 { return (found, isRequired) }
      return find(Array(path.dropFirst()), found, depth: depth + 1)
    }
    for option in node["oneOf"]?.entries ?? [] {
      if let found = find(path, option, depth: depth + 1) { return found }
    }
    return nil
  }

  /// The name of the parameter for a setting. A different default elsewhere makes another parameter. Throws for a
  /// secret: job files, requests and reports show parameters.
  /// - Parameters:
  ///   - mark: what stands between the entries of a list; nil: each is requested on its own.
  mutating func parameter(
    _ path: [String], fallback: String?, joinedBy mark: String? = nil
  ) throws(DraftProblem) -> String {
    let setting = self[path]
    if setting.isSecret {
      throw DraftProblem("request: a secret in an address, a field, a body or another text")
    }
    let other = fallback ?? (isOptional(path) ? "" : nil)
    let value = setting.fallback ?? (setting.isRequired ? nil : other)
    let list = setting.list.flatMap { $0.isEmpty ? nil : $0 }
    let values =
      list.map { list in mark.map { [list.joined(separator: $0)] } ?? list }
      ?? value.flatMap(Self.sayable)
    let id = (path + [mark ?? ""] + (values ?? ["\n"])).joined(separator: "/")
    var name = DraftNames.plain(path.last ?? "", else: "value")
    if taken.contains(name) { name = "my_\(name)" }
    let about = setting.about + (paths.values.contains(path) ? ", in another place" : "")
    name = added(id, name, about: about, values)
    paths[name] = path
    return name
  }

  /// A value that the manifest computes from the user's settings; here the user writes it.
  mutating func parameter(computed path: [String], _ source: String) -> String {
    added(
      "computed/" + source, DraftNames.plain((path.last ?? "value") + "_as_sent", else: "value"),
      about: "the manifest computes it: \(source.onOneLine(upTo: 120))", nil)
  }

  /// The result of a condition, with the setting's default.
  func holds(_ test: SettingTest) -> Bool {
    let value = self[test.path].fallback ?? self[test.path].examples.first ?? ""
    let isSo =
      test.value.map { $0 == value }
      ?? !["", "false", "False", "no"].contains(self[test.path].fallback ?? "")
    return isSo != test.isNegated
  }

  /// Whether the user may leave it out.
  func isOptional(_ path: [String]) -> Bool {
    Self.find(path, specification, depth: 0).map { !$0.1 && path.count == 1 } ?? false
  }

  /// A parameter for a list of values, each of which is requested separately.
  mutating func parameter(listing values: [String], as wished: String) -> String {
    let id = "list/\(wished)/" + values.joined(separator: "/")
    var name = DraftNames.plain(wished, else: "value")
    if reserved.contains(name) { name = "my_\(name)" }
    return added(id, name, about: "each is a list of its own", values)
  }

  /// The parameter of this id; made when it is first asked for.
  private mutating func added(
    _ id: String, _ wished: String, about: String, _ values: [String]?
  ) -> String {
    if let name = names[id] { return name }
    let name = PlainName.unique(wished, &taken)
    names[id] = name
    parameters.append(Parameter(name: name, about: about, values: values))
    return name
  }

  /// Whether it has no default and may stay empty.
  func mayBeEmpty(_ name: String) -> Bool {
    parameters.first { $0.name == name }?.values == [""]
  }

  func example(ofParameter name: String) -> String {
    paths[name].map { example($0, fallback: nil) } ?? ""
  }

  private static func sayable(_ value: String) -> [String]? {
    value.utf8.count > 900 || value.unicodeScalars.contains(where: \.isHostile) ? nil : [value]
  }

  /// An example for a setting that no parameter can fill.
  func example(_ path: [String], fallback: String?) -> String {
    let setting = self[path]
    return setting.fallback ?? fallback ?? setting.examples.first ?? ""
  }
}
