internal import Base
internal import Drafting

/// The columns that a stream's schema gives its table.
struct ManifestColumns {
  static let columnsMax = 180

  let stream: YAMLNode
  /// Names of time columns, which need a type.
  let times: Set<String>

  private(set) var columns: [ManifestStream.Column] = []
  private(set) var losses: [String] = []

  init(_ stream: YAMLNode, times: Set<String>, removed: [[String]]) {
    self.stream = stream
    self.times = times
    let loader = stream["schema_loader"]
    let first = loader?.entries?.first { $0["schema", "properties"] != nil } ?? loader
    let properties = first?["schema", "properties"]?.members ?? []
    var taken: Set<String> = []
    for property in properties {
      guard !removed.contains([property.key]) else { continue }
      guard JSONPath.isSayable(property.key),
        !property.key.unicodeScalars.contains(where: \.isHostile)
      else {
        losses.append("a member called \(property.key.shown) cannot be named by a path")
        continue
      }
      if columns.count == Self.columnsMax {
        losses.append("\(properties.count - Self.columnsMax) more than \(Self.columnsMax)")
        break
      }
      let name = PlainName.unique(DraftNames.plain(property.key, else: "column"), &taken)
      let type = Self.type(property.value, isTime: times.contains(property.key), property.key)
      columns.append(
        ManifestStream.Column(
          name: name, source: JSONPath.text(of: [property.key]) + (type.map { " as \($0)" } ?? ""),
          path: [property.key], type: Self.one(Self.types(property.value))))
    }
    if columns.isEmpty {
      columns.append(.init(name: "record", source: ". as json", path: []))
    }
  }

  private static func one(_ types: [String]) -> String? { types.count == 1 ? types[0] : nil }

  private static func types(_ schema: YAMLNode) -> [String] {
    let named = schema["type"].map { $0.entries ?? [$0] }?.compactMap(\.text) ?? []
    return named.filter { $0 != "null" }
  }

  private static func type(_ schema: YAMLNode, isTime: Bool, _ name: String) -> String? {
    if isTime { return "time in UTC" }
    let types = types(schema)
    guard types.count == 1 else { return types.isEmpty ? nil : "json" }
    switch types[0] {
    case "object", "array": return "json"
    case "boolean": return "boolean"
    case "integer": return "integer"
    case "number":
      return ParameterWords.plain(name).hasSuffix("id") ? "integer" : "real"
    default: return nil
    }
  }
}
