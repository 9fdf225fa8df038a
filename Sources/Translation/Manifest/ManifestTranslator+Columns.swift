internal import Base
internal import Drafting

/// The columns that a stream's schema gives its table.
extension ManifestTranslator {
  func readColumns(_ node: YAMLNode, _ stream: inout ManifestStream) {
    var removed: [[String]] = []
    for change in node["transformations"]?.entries ?? []
    where change["type"]?.text == "RemoveFields" && change["condition"] == nil {
      removed += Self.keys(change["field_pointers"])
    }
    let loader = node["schema_loader"]
    let first = loader?.entries?.first { $0["schema", "properties"] != nil } ?? loader
    let properties = first?["schema", "properties"]?.members ?? []
    var taken: Set<String> = []
    for property in properties {
      guard !removed.contains([property.key]) else { continue }
      guard JobText.isMember(property.key) else {
        stream.lose(
          .columns, "columns: a member called \(property.key.shown) cannot be named by a path")
        continue
      }
      if stream.columns.count == Self.columnsMax {
        let more = properties.count - Self.columnsMax
        stream.lose(.columns, "columns: \(more) more than \(Self.columnsMax)")
        break
      }
      let types = (property.value["type"].map { $0.entries ?? [$0] } ?? []).compactMap(\.text)
        .filter { $0 != "null" }
      stream.columns.append(
        ManifestStream.Column(
          name: PlainName.unique(DraftNames.plain(property.key, else: "column"), &taken),
          source: JSONPath.text(of: [property.key])
            + (Self.type(types, property.key).map { " as \($0)" } ?? ""),
          path: [property.key], type: types.count == 1 ? types[0] : nil))
    }
    if stream.columns.isEmpty {
      stream.columns.append(.init(name: "record", source: ". as json", path: []))
    }
  }

  private static let columnsMax = 180

  private static func type(_ types: [String], _ name: String) -> String? {
    guard types.count == 1 else { return types.isEmpty ? nil : "json" }
    switch types[0] {
    case "object", "array": return "json"
    case "boolean": return "boolean"
    case "integer": return "integer"
    case "number": return ParameterWords.plain(name).hasSuffix("id") ? "integer" : "real"
    default: return nil
    }
  }
}
