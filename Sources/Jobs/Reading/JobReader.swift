public import Base

/// Turns a job file into a `Job`, or reports all its problems.
public enum JobFile {
  /// Reads the text of a job file. `file` is its name in messages, `expectedName` the name by which it was found. A
  /// file with `use` gets the job that it builds on from `finding`: nil if there is none; `known` are possible names.
  public static func read(
    _ bytes: [UInt8], file: String, expectedName: String? = nil,
    known: @autoclosure () -> [String] = [],
    finding: (String) throws(JobFileError) -> Job? = { _ in nil }
  ) throws(JobFileError) -> Job {
    let complaints = Complaints()
    let tree: JSON5Node
    do { tree = try JSON5Reader.read(bytes) } catch {
      throw JobFileError([JobProblem(file, error.position, error.message)])
    }
    let shaped = SameAs.resolved(tree, complaints)
    let isOwn = shaped["use"] != nil
    let check = ShapeCheck(complaints: complaints)
    check.check(shaped, .object(JobShape.job), called: "a job file")
    check.checkUse(shaped)
    let root = Defaults(complaints: complaints)
      .resolved(shaped, name: expectedName ?? FileText.jobName(file))
    if let expectedName, let name = root["name"]?.string,
      !name.utf8.elementsEqual(expectedName.utf8)
    {
      complaints.add(
        root["name"],
        "the file is found as \"\(expectedName)\" but calls itself \"\(name.shown)\"; rename one of"
          + " the two")
    }
    let reader = JobReader(root: root, file: file, complaints: complaints)
    let job = try isOwn ? reader.readSettings(known: known, finding: finding) : reader.read()
    guard var job, complaints.isEmpty else {
      // Readers that give up complain; this is for one that forgot.
      if complaints.isEmpty { complaints.add(nil, "not a job that can be run") }
      throw JobFileError(complaints.found.map { JobProblem(file, $0.position, $0.message) })
    }
    // By its name another file may be found.
    let isTyped = expectedName == nil && JobLibrary.isPath(file)
    job.word = isTyped ? ShellWord.quoted(file) : job.name
    return job
  }
}

extension JobLibrary {
  /// `file:line:column` where a job's file names a table; the file alone if it does not.
  public func place(ofTable table: String, in job: Job) -> String {
    guard Self.isPath(job.source), let text = try? source(job.source).text,  // it was read before
      let root = try? JSON5Reader.read(text)  // as above
    else { return job.source }
    for stream in root["streams"]?.members ?? [] {
      if stream.value["into"] == nil, stream.key == table {
        return "\(job.source):\(stream.keyPosition.line):\(stream.keyPosition.column)"
      }
      let list = stream.value["list"]
      let named = [stream.value["into"], list?["table"] ?? list].compactMap { $0 }
      let child = stream.value["children"]?.members?.first { $0.key == table }
      guard
        let position = named.first(where: { $0.string == table })?.position ?? child?.keyPosition
      else { continue }
      return "\(job.source):\(position.line):\(position.column)"
    }
    return job.source
  }
}

/// Reads a whole job, after the check of its shape: finds what only several places show.
struct JobReader {
  let root: JSON5Node
  let file: String
  let complaints: Complaints

  func read() -> Job? {
    let name = root.text("name", .jobName)
    if let problem = name.flatMap(JobName.problem) { complaints.add(root["name"], problem) }
    let baseText = root.text("base", .base)
    let hasHoles = baseText.map(BaseText.hasHoles) ?? false
    let base =
      hasHoles
      ? Self.nowhere : baseText.flatMap { try? WebAddress($0) }  // its form has just passed
    var head = Job(
      name: name ?? "job", about: root["about"]?.string ?? "", base: base ?? Self.nowhere,
      streams: [], source: file)
    head.was = was()
    head.terms = root["terms"]?.string
    head.publish = publish()
    head.account = root["account"]?.string
    readFields(&head)
    head.authentication = authentication()
    head.parameters = parameters()
    head.quotas = quotas()
    head.atOnce = root.wholeNumber("atOnce") ?? 1
    head.trustsOurClock = root["clock"]?.string == "ours"
    head.patience = root.duration("patience")
    head.every = every()
    head.history = root.duration("history")
    head.media = media()

    let names = JobNames(root: root, parameters: head.parameters)
    checkNames()
    head.health = root.text("health", .health).map(HealthText.read)
    head.errors = ErrorReader(node: root, quotas: names.quotas, complaints: complaints).read()
    var drafts: [StreamDraft] = []
    for member in root.entries("streams") {
      let reader = StreamReader(
        name: member.key, node: member.value, names: names, complaints: complaints)
      if let draft = reader.read() { drafts.append(draft) }
    }
    head.streams =
      TableCheck(prefix: head.tablePrefix, drafts: drafts, complaints: complaints).checked()
    head.retain = root.duration("retain")
    for index in head.streams.indices {
      head.streams[index].retain = head.streams[index].retain ?? head.retain
    }
    checkDefaults(head)
    checkCosts(head)
    head.texts.base = hasHoles ? baseText : nil
    readTexts(&head)
    head = head.filling([:])
    return name == nil || base == nil || head.streams.isEmpty ? nil : head
  }

  private func readFields(_ head: inout Job) {
    for member in root.entries("headers") {
      guard let text = member.value.scalarText else { continue }
      if let template = TemplateText.read(text)?.template {
        head.fields.append(HeaderField(member.key, template.description))
        if !template.holes.isEmpty { head.texts.fields.append(QueryItem(member.key, template)) }
      }
      // The check of the shape reported forbidden names.
      if HeaderText.nameProblem(member.key) == nil {
        complaints.refuseSecret(text, called: member.key, at: member.value)
      }
    }
  }

  /// Reads users with holes, and checks that parameters fill them and those of header fields.
  private func readTexts(_ head: inout Job) {
    head.texts.users = users(of: head.authentication?.all ?? [])
    head.texts.token = head.authentication?.all.lazy.compactMap(\.token).first { token in
      let secrets = token.secrets.map(\.hole)
      return BaseText.hasHoles(token.place) || BaseText.hasHoles(token.login?.place ?? "")
        || token.holes.contains { !secrets.containsBytes($0) }
    }
    let known = head.parameters.map(\.name)
    let texts: [JSON5Node?] =
      [root["base"]]
      + authParts.flatMap { [$0["to"], $0["token"]?["post"], $0["token"]?["login"]?["begins"]] }
    for name in head.fillingNames {
      let place = texts.compactMap { $0 }.first { $0.string?.holds("{\(name)}") ?? false }
      complaints.expectFilled(
        [name], in: known, at: place ?? root["headers"], by: "no parameter has that name")
    }
  }

  func publish() -> String? {
    guard let path = root["publish"]?.string else { return nil }
    if path.hasPrefix("~") || path.hasSuffix("/") || path.hasSuffix("trawl.db") {
      complaints.add(
        root["publish"],
        "publish: \"\(path.shown)\" is not a path of a file for readers, such as /srv/readers.db")
    }
    return path
  }

  func every() -> Duration? {
    guard let every = root.duration("every") else { return nil }
    if every < .seconds(60) { complaints.add(root["every"], "\"every\" is a minute at least") }
    return every
  }

  func was() -> String? {
    guard let was = root.text("was", .jobName) else { return nil }
    if was.utf8.elementsEqual((root["name"]?.string ?? "").utf8) {
      complaints.add(
        root["was"], "\"\(was)\" is the job's name: \"was\" names what it was called before")
      return nil
    }
    return was
  }

  /// Stands in for a base that is reported already.
  private static let nowhere = WebAddress(
    origin: Origin(scheme: "https", host: "invalid", port: 443), path: "/")

  private func checkNames() {
    for member in root.entries("params") where Template.own.containsBytes(member.key) {
      complaints.add(
        member.value, "the name \"\(member.key)\" is taken: Trawl fills it itself")
    }
    for member in root.entries("streams") where member.key == ParentFeed.favorites {
      complaints.add(
        member.value, "the name \"favorites\" is taken: it means a table's favorites")
    }
  }

  /// Defaults follow the rules of values that users set.
  private func checkDefaults(_ job: Job) {
    for member in root.entries("params") {
      let given = member.value["default"] ?? (member.value.members == nil ? member.value : nil)
      for node in given?.elements ?? given.map({ [$0] }) ?? [] {
        guard let text = node.scalarText,
          let problem = job.problem(setting: member.key, to: text)
        else { continue }
        complaints.add(node, problem)
      }
    }
  }

  /// A request that costs more than its quota ever has would wait for ever. Settings may make a quota smaller.
  func checkCosts(_ job: Job) {
    let needsKey = job.authentication?.isOptional == false
    for quota in job.quotas {
      let most = needsKey ? quota.allow : min(quota.allow, quota.allowWithoutKey ?? quota.allow)
      for stream in job.streams {
        guard let cost = stream.spends[quota.name], cost > most else { continue }
        let place = root["streams"]?[stream.name]?["spends"] ?? root["quotas"]?[quota.name]
        let keyless = most < quota.allow ? " without a key" : ""
        complaints.add(
          place,
          "one request of \(stream.name) costs \(cost) of \(quota.name), which allows \(most) at most\(keyless): it"
            + " would never be sent")
      }
    }
  }
}

/// Names that other parts of a file may use.
struct JobNames {
  struct StreamNames {
    var name: String
    var table: String?
    fileprivate var declared: JSON5Node?

    var columns: [String] { (declared?.firstMembers ?? []).map(\.key) }

    func kind(of column: String) -> Column.Kind? { declared?[column].map(ColumnReader.kind) }
  }

  let parameters: [Parameter]
  let quotas: [String]
  let streams: [StreamNames]

  init(root: JSON5Node, parameters: [Parameter]) {
    self.parameters = parameters
    // Also invalid ones: they are reported at their own place.
    quotas = root.entries("quotas").map(\.key)
    streams = root.entries("streams").map { member in
      StreamNames(
        name: member.key, table: member.value["into"]?.string, declared: member.value["columns"])
    }
  }

  /// Quotas and costs; by default one of every quota.
  func spends(_ node: JSON5Node?, _ complaints: Complaints) -> [String: Int] {
    guard let node else { return Dictionary(quotas.map { ($0, 1) }) { one, _ in one } }
    var costs: [String: Int] = [:]
    for (name, place) in node.string.map({ [($0, node)] })
      ?? node.firstMembers.map({ ($0.key, $0.value) })
    {
      complaints.expect(name, in: quotas, at: place, "there is no quota \"\(name.shown)\"")
      costs[name] = node.string == nil ? place.number?.integer.flatMap { Int(exactly: $0) } : 1
    }
    return costs
  }

  func stream(_ name: String) -> StreamNames? {
    streams.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
