internal import Base
internal import Drafting

/// Translates the streams of a manifest, parents before children.
struct ManifestTranslator {
  let root: YAMLNode
  let jobName: String
  var settings: ManifestSettings
  var auth: ManifestAuth
  /// Streams that the check of the job rejects, and why.
  private let refused: [String: String]
  var streams: [ManifestStream] = []
  /// Streams that the job lacks, and why.
  private(set) var leftOut: [(stream: String, line: Int, reason: String)] = []
  /// Columns whose values fill requests of other streams.
  var fedNames: Set<String> = []
  private var known: [String: YAMLNode] = [:]
  private var underWay: Set<String> = []
  private var failed: Set<String> = []
  private var taken: Set<String> = []
  private var tables: Set<String> = []
  private var authForm: YAMLNode?

  static let streamsMax = 50

  init(_ root: YAMLNode, jobName: String, reserved: Set<String>, refused: [String: String]) {
    self.root = root
    self.refused = refused
    self.jobName = jobName
    settings = ManifestSettings(root, reserved: reserved)
    auth = ManifestAuth(jobName: jobName)
  }

  mutating func translate() {
    var all: [YAMLNode] = []
    var more: [(stream: String, line: Int, reason: String)] = []
    for stream in root["streams"]?.entries ?? [] {
      do { all += whole(try ManifestReferences.resolved(stream, in: root), &more) } catch {
        leftOut.append((name(stream), error.line, error.sentence))
      }
    }
    chooseAuth(all)
    for stream in all {
      if known[name(stream)] == nil {
        known[name(stream)] = stream
      } else {
        more.append((name(stream), stream.line, "another stream has this name"))
      }
    }
    for stream in all { translate(stream) }
    leftOut += more
    if let rules = root["spec", "config_normalization_rules"] {
      leftOut.append(("spec", rules.line, "settings that are changed before they are used"))
    }
    for dynamic in root["dynamic_streams"]?.entries ?? [] {
      leftOut.append((name(dynamic), dynamic.line, "streams that are made of what an API answers"))
    }
  }

  /// Of alternatives that read the same records, the one that reads all.
  private func whole(
    _ stream: YAMLNode, _ more: inout [(stream: String, line: Int, reason: String)]
  ) -> [YAMLNode] {
    switch stream["type"]?.text {
    case "StateDelegatingStream": return [stream["full_refresh_stream"] ?? stream]
    case "ConditionalStreams":
      let streams = stream["streams"]?.entries ?? []
      let test = (stream["condition"]?.text ?? "").onOneLine(upTo: 60)
      more += streams.map { (name($0), $0.line, "a condition: it is there only if \(test)") }
      return streams
    default: return [stream]
    }
  }

  private func name(_ stream: YAMLNode) -> String {
    stream["name"]?.text ?? stream["$parameters", "name"]?.text ?? "stream"
  }

  /// A job has one way to authenticate: the one of most streams.
  private mutating func chooseAuth(_ all: [YAMLNode]) {
    var counts: [(own: YAMLNode, node: YAMLNode, count: Int)] = []
    for stream in all {
      guard let node = stream["retriever", "requester", "authenticator"] else { continue }
      let own = node.own
      if let at = counts.firstIndex(where: { $0.own == own }) {
        counts[at].count += 1
      } else {
        counts.append((own, node, 1))
      }
    }
    guard let most = counts.max(by: { $0.count < $1.count }) else { return }
    authForm = most.own
    auth.add(most.node, &settings)
    guard auth.loss == nil else { return }
    leftOut += most.node.unknown("authenticator").map { ("auth", most.node.line, $0) }
  }

  // MARK: one stream

  /// The index of the translated stream; nil if it could not be translated.
  @discardableResult
  private mutating func translate(_ node: YAMLNode) -> Int? {
    let title = name(node)
    if let done = streams.firstIndex(where: { $0.title == title }) { return done }
    if failed.contains(title) { return nil }
    guard underWay.insert(title).inserted else { return nil }
    defer { underWay.remove(title) }
    do throws(DraftProblem) {
      if let reason = refused[title] { throw DraftProblem(reason) }
      guard streams.count < Self.streamsMax else {
        throw DraftProblem("a job holds \(Self.streamsMax) streams")
      }
      let stream = try stream(node, title)
      streams.append(stream)
      return streams.count - 1
    } catch {
      failed.insert(title)
      leftOut.append((title, node.line, error.description))
      return nil
    }
  }

  private mutating func stream(
    _ node: YAMLNode, _ title: String
  ) throws(DraftProblem) -> ManifestStream {
    guard let retriever = node["retriever"],
      retriever["type"]?.text ?? "SimpleRetriever" == "SimpleRetriever",
      let requester = retriever["requester"]
    else {
      throw DraftProblem(
        node["retriever", "type"]?.text == "AsyncRetriever"
          ? "an export that is ordered first and fetched later" : "reading: code of its own")
    }
    guard requester["type"]?.text ?? "HttpRequester" == "HttpRequester" else {
      throw DraftProblem("request: code of its own")
    }
    try checkDecoder(retriever["decoder"])
    let name = PlainName.unique(DraftNames.plain(title, else: "stream"), &taken)
    var stream = ManifestStream(name: name, table: table(name), title: title, line: node.line)
    let noAuth = YAMLNode.map([.init("type", YAMLNode(.scalar("NoAuth", isPlain: true), line: 0))])
    if let authForm, requester["authenticator"]?.own ?? noAuth != authForm {
      stream.lose(.head, "auth: this stream has a way of its own, or none")
    }
    readColumns(node, &stream)
    try readPartitions(retriever["partition_router"], &stream)
    try readRequest(requester, &stream)
    try readWindow(node["incremental_sync"], &stream)
    try readPlace(retriever["record_selector"], &stream)
    try readPages(retriever, &stream)
    dropUnused(&stream)
    try readRecords(node, retriever["record_selector"], &stream)
    readErrors(requester["error_handler"], &stream)
    for loss in node.unknown() { stream.lose(.head, loss) }
    return stream
  }

  /// A table of its own, without the endings of tables that Trawl creates itself.
  private mutating func table(_ stream: String) -> String {
    let isOurs = ["_history", "_media"].contains(where: stream.hasSuffix)
    return DraftNames.table(isOurs ? stream + "_list" : stream, of: jobName, &tables)
  }

  /// Drops an unused parent: the same request would be repeated for each of its records.
  private func dropUnused(_ stream: inout ManifestStream) {
    guard let feed = stream.feed else { return }
    let texts =
      [stream.address, stream.body ?? ""] + stream.query.flatMap(\.values)
      + stream.form.map(\.value)
    let used = ([feed.column] + feed.carried).filter { hole in
      texts.contains { $0.holds("{\(hole)}") }
    }
    if let first = used.first {
      // Each value that the request has is a list.
      guard !used.contains(feed.column) else { return }
      stream.feed?.carried = feed.carried.filter { $0 != first } + [feed.column]
      stream.feed?.column = first
      return
    }
    stream.feed = nil
    stream.parent = nil
    for hole in [feed.column] + feed.carried {
      stream.holes = stream.holes.filter { $0.value != hole }
    }
    stream.remark(
      .request,
      "The manifest asks for this once for each record of \(feed.stream), always the same; here once."
    )
  }

  func checkDecoder(_ decoder: YAMLNode?) throws(DraftProblem) {
    switch decoder?["type"]?.text ?? "JsonDecoder" {
    case "JsonDecoder": break
    case let type: throw DraftProblem("answers that are not JSON: \(type.shown)")
    }
  }

  // MARK: parents

  /// The parent, translated first; it need not be a stream of the manifest itself.
  mutating func parent(
    _ node: YAMLNode, _ stream: inout ManifestStream
  ) throws(DraftProblem) -> Int {
    let title = name(node)
    let whole = known[title] ?? node
    if whole.own != node.own {
      stream.lose(.head, "partitions: its parent differs from the stream \(title.shown)")
    }
    if let at = translate(whole) { return at }
    if underWay.contains(title) { throw DraftProblem("parents in a circle") }
    let why = leftOut.first { $0.stream == title }?.reason ?? "it is not there"
    throw DraftProblem("its parent \(title.shown) is left out (\(why))")
  }
}
