internal import Base
internal import Drafting

/// What a stream is requested for: each value of a list, or each record of another stream.
extension ManifestTranslator {
  mutating func readPartitions(
    _ node: YAMLNode?, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let routers = node.map { $0.entries ?? [$0] } ?? []
    var parents: [YAMLNode] = []
    for router in routers {
      switch router["type"]?.text ?? "" {
      case "ListPartitionRouter": try readList(router, &stream)
      case "SubstreamPartitionRouter":
        let configs = router["parent_stream_configs"]?.entries ?? []
        guard configs.count == 1 else {
          throw DraftProblem("partitions: records of several streams at once")
        }
        parents.append(configs[0])
      case "GroupingPartitionRouter": throw DraftProblem("partitions: groups of values")
      default: throw DraftProblem("partitions: code of its own")
      }
    }
    try readParents(parents, &stream)
  }

  private mutating func readList(
    _ router: YAMLNode, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard let field = router["cursor_field"]?.text else {
      throw DraftProblem("partitions: a list without a name")
    }
    let hole: String
    if let values = router["values"]?.entries {
      let texts = values.compactMap(\.text)
      guard texts.count == values.count, !texts.isEmpty, !texts.contains(where: { $0.holds("{{") })
      else { throw DraftProblem("partitions: values that are computed") }
      hole = settings.parameter(listing: texts, as: field)
    } else if let text = router["values"]?.text,
      case let pieces = ManifestText.pieces(text, router["$parameters"]), pieces.count == 1,
      case .setting(let path, let fallback) = pieces[0]
    {
      hole = try settings.parameter(path, fallback: fallback)
    } else {
      throw DraftProblem("partitions: values that are computed")
    }
    stream.holes[field] = hole
    try inject(router["request_option"], "{\(hole)}", &stream)
  }

  /// A value that goes into the query.
  func inject(
    _ option: YAMLNode?, _ value: String, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard let option else { return }
    switch option["inject_into"]?.text ?? "" {
    case "request_parameter":
      guard let name = option["field_name"]?.text, !name.holds("{{") else {
        throw DraftProblem("partitions: a parameter whose name is computed")
      }
      stream.addQuery(name, value)
      stream.sliced.insert(name)
    default: throw DraftProblem("partitions: a value that goes into header fields or a body")
    }
  }

  // MARK: records of another stream

  private mutating func readParents(
    _ configs: [YAMLNode], _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard configs.count <= 2 else { throw DraftProblem("partitions: a product of three streams") }
    var found: [(config: YAMLNode, at: Int)] = []
    for config in configs {
      guard let node = config["stream"] else {
        throw DraftProblem("partitions: a parent is missing")
      }
      found.append((config, try parent(node, &stream)))
    }
    guard found.count == 2 else {
      if let one = found.first { try feed(one.config, one.at, &stream) }
      return
    }
    // Nested parents are often written as a product: the inner one names the outer one.
    let (one, other) = (found[0], found[1])
    if streams[other.at].feed?.stream == streams[one.at].name {
      try nest(other, outer: one, &stream)
    } else if streams[one.at].feed?.stream == streams[other.at].name {
      try nest(one, outer: other, &stream)
    } else {
      throw DraftProblem("partitions: a product of two streams")
    }
  }

  private mutating func nest(
    _ inner: (config: YAMLNode, at: Int), outer: (config: YAMLNode, at: Int),
    _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard let field = outer.config["partition_field"]?.text else {
      throw DraftProblem("partitions: a parent without a field")
    }
    let key = outer.config["parent_key"]?.text?.split(separator: "/").map(String.init)
    // The inner one must be requested for the same member of the outer one.
    guard let own = streams[inner.at].keyPaths.first(where: { $0.value == key })?.key,
      let hole = streams[inner.at].holes[own]
    else { throw DraftProblem("partitions: a product of two streams") }
    try feed(inner.config, inner.at, &stream)
    let name = carry(holding: hole, as: field, inner.at)
    stream.feed?.carried.append(name)
    stream.holes[field] = name
    try inject(outer.config["request_option"], "{\(name)}", &stream)
    stream.remark(
      .request,
      "The manifest asks for every pair of parents; here each is asked for what belongs together.")
  }

  private mutating func feed(
    _ config: YAMLNode, _ at: Int, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    guard let key = config["parent_key"]?.text, let field = config["partition_field"]?.text,
      !key.holds("{{")
    else { throw DraftProblem("partitions: a parent without a key") }
    if streams[at].computed.contains(key) {
      throw DraftProblem("partitions: a member that the manifest computes from the parent's record")
    }
    let name = carry(at: key.split(separator: "/").map(String.init), at)
    stream.feed = ManifestStream.Feed(stream: streams[at].name, column: name)
    stream.holes[field] = name
    stream.keyPaths[field] = key.split(separator: "/").map(String.init)
    if config["request_option"] != nil { stream.usesKey = true }
    try inject(config["request_option"], "{\(name)}", &stream)
    for extra in config["extra_fields"]?.entries ?? [] {
      let path = (extra.entries ?? [extra]).compactMap(\.text)
      guard let last = path.last else { continue }
      stream.extraPaths[last] = path
    }
    stream.parent = at
    if let own = streams[at].feed {
      for (field, hole) in streams[at].holes where hole == own.column || own.carried.contains(hole)
      {
        stream.outerFields[field] = hole
      }
    }
    for (field, hole) in streams[at].holes where stream.outerFields[field] == nil {
      stream.outerFields[field] = hole
    }
  }

  /// A column of the parent, whose name becomes a placeholder.
  private mutating func carry(at path: [String], _ at: Int) -> String {
    // A column that the manifest adds is not in the record.
    let added = path.count == 1 ? streams[at].addedPaths[path[0]] : nil
    let name = added ?? streams[at].column(at: path)
    fedNames.insert(name)
    return name
  }

  private mutating func carry(holding hole: String, as field: String, _ at: Int) -> String {
    let name = streams[at].column(holding: hole, as: field)
    fedNames.insert(name)
    return name
  }

  /// The placeholder for a value of the partition.
  mutating func hole(
    _ piece: ManifestPiece, _ stream: inout ManifestStream
  ) throws(DraftProblem) -> String {
    switch piece {
    case .slice(let field, let inner) where !inner.isEmpty:
      guard let at = stream.parent, let path = stream.keyPaths[field] else { break }
      let name = carry(at: path + inner, at)
      if stream.feed?.column == stream.holes[field], !stream.usesKey {
        stream.feed?.column = name
      } else {
        carryAlong(name, &stream)
      }
      return name
    case .slice(let field, _):
      if let hole = stream.holes[field] {
        if stream.keyPaths[field] != nil { stream.usesKey = true }
        return hole
      }
      if stream.extraPaths[field] != nil { return try hole(.extra(field), &stream) }
      if stream.outerFields[field] != nil { return try hole(.outerSlice(field), &stream) }
    case .extra(let field):
      guard let at = stream.parent, let path = stream.extraPaths[field] else { break }
      let name = carry(at: path, at)
      carryAlong(name, &stream)
      return name
    case .outerSlice(let field):
      guard let at = stream.parent, let hole = stream.outerFields[field] else { break }
      let name = carry(holding: hole, as: field, at)
      carryAlong(name, &stream)
      return name
    default: break
    }
    throw DraftProblem("request: a value that no parent and no list gives")
  }

  private func carryAlong(_ name: String, _ stream: inout ManifestStream) {
    if stream.feed?.column != name, stream.feed?.carried.contains(name) == false {
      stream.feed?.carried.append(name)
    }
  }
}
