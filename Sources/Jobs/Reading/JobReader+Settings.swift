internal import Base

/// A user's own small file: `{ name: "my-books", use: "books", params: { topic: ["sea"] } }`.
///
/// It may choose values, an account's name, a plan's quotas, how images are kept, and the server if there is no secret.
/// It may not touch what requests carry, or what is stored of answers.
extension JobReader {
  func readSettings(
    known: () -> [String], finding: (String) throws(JobFileError) -> Job?
  ) throws(JobFileError) -> Job? {
    guard let use = root.text("use", .jobName) else { return nil }
    guard var job = try finding(use) else {
      complaints.add(
        root["use"], "there is no job \"\(use)\"" + Suggestion.clauseOrList(for: use, in: known()))
      return nil
    }
    guard let name = root.text("name", .jobName) else { return nil }
    if let problem = JobName.problem(name) { complaints.add(root["name"], problem) }
    job.name = name
    job.source = file
    // Not the former name of the underlying job.
    job.was = was()
    if let about = root["about"]?.string { job.about = about }
    if let account = root["account"]?.string { job.account = account }
    if let publish = publish() { job.publish = publish }
    job.hooks = HookReader(root: root, complaints: complaints).read()
    checkSecrets(job)
    if root["every"] != nil { job.every = every() }
    job.history = root.duration("history") ?? job.history
    if let retain = root.duration("retain") {
      for index in job.streams.indices where job.streams[index].retain == job.retain {
        job.streams[index].retain = retain
      }
      job.retain = retain
    }
    readBase(&job)
    readQuotas(&job)
    checkCosts(job)
    let given = media()
    if root["media"]?["limit"] != nil { job.media.limitBytes = given.limitBytes }
    if root["media"]?["file"] != nil { job.media.fileBytesMax = given.fileBytesMax }
    job.media.allow += given.allow
    readParameters(&job)
    checkLengths(job)
    return job.filling([:])
  }

  private func checkSecrets(_ job: Job) {
    let known = job.authentication?.all.flatMap(\.secrets).map(\.name) ?? []
    for member in root.entries("secrets") {
      complaints.expect(
        member.key, in: known, at: member.value,
        "the job \(root["use"]?.string ?? "") has no secret \"\(member.key.shown)\"")
    }
  }

  /// Another server is allowed only without secrets, which it could steal.
  private func readBase(_ job: inout Job) {
    // None, or one that the check of the shape reported.
    guard let text = root.text("base", .base) else { return }
    guard job.authentication == nil else {
      complaints.add(
        root["base"],
        "the job \(root["use"]?.string ?? "") sends a secret, and settings cannot lead it to another server; write a"
          + " job file of your own")
      return
    }
    complaints.expectFilled(
      Template(text)?.holes ?? [], in: job.parameters.map(\.name), at: root["base"],
      by: "no parameter has that name")
    job.texts.base = BaseText.hasHoles(text) ? text : nil
    job.texts.lack = nil
    // One with holes is an address once they are filled.
    if let base = try? WebAddress(text) { (job.base, job.home) = (base, base.origin) }
  }

  private func readParameters(_ job: inout Job) {
    for member in root.entries("params") {
      let nodes = member.value.elements ?? [member.value]
      guard let index = job.parameters.firstIndex(where: { $0.name == member.key }) else {
        if let problem = job.problem(setting: member.key, to: "") {
          complaints.add(member.value, problem)
        }
        continue
      }
      for node in nodes {
        guard let text = node.scalarText, let problem = job.problem(setting: member.key, to: text)
        else { continue }
        complaints.add(node, problem)
      }
      job.parameters[index].defaults = nodes.compactMap(\.scalarText)
    }
  }

  private func readQuotas(_ job: inout Job) {
    for member in root.entries("quotas") {
      guard let index = job.quotas.firstIndex(where: { $0.name == member.key }) else {
        complaints.expect(
          member.key, in: job.quotas.map(\.name), at: member.value,
          "the job has no quota \"\(member.key.shown)\"")
        continue
      }
      let before = job.quotas[index]
      let wasAll = before.burst >= max(before.allow, before.allowWithoutKey ?? 0)
      if let allow = member.value.number?.integer.flatMap({ Int(exactly: $0) }) {
        job.quotas[index].allow = allow
        job.quotas[index].allowWithoutKey = before.allowWithoutKey.map { min($0, allow) }
      }
      let all = max(job.quotas[index].allow, job.quotas[index].allowWithoutKey ?? 0)
      job.quotas[index].burst = wasAll ? all : min(before.burst, all)
    }
  }

  /// Tables are named after the new job, whose name may be longer.
  private func checkLengths(_ job: Job) {
    let tables = job.streams.flatMap { stream in
      [stream.table] + (stream.membership.map { [$0.table] } ?? []) + stream.children.map(\.table)
    }
    let longest = tables.map(\.utf8.count).max() ?? 0
    if job.tablePrefix.utf8.count + 1 + longest > 55 {
      complaints.add(
        root["name"], "the name is too long: with a table's name it has more than 55 letters")
    }
  }
}
