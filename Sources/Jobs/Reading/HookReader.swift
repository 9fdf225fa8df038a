internal import Base

/// Reads the programs of a user's settings, and what follows a run.
struct HookReader {
  let root: JSON5Node
  let complaints: Complaints

  func read() -> JobHooks {
    var hooks = JobHooks(
      ping: ping, after: words(root["after"]),
      watches: root.entries("watch").compactMap { watch($0.key, $0.value) })
    for member in root.entries("secrets") {
      hooks.secrets[member.key] = words(member.value)
    }
    return hooks
  }

  private var ping: JobHooks.Ping? {
    guard let node = root["ping"] else { return nil }
    if node.elements != nil { return .command(words(node)) }
    // The check of the shape covered its form.
    return root.text("ping", .page).flatMap { try? WebAddress($0) }.map { .address($0) }
  }

  private func watch(_ name: String, _ node: JSON5Node) -> Watch? {
    guard let sql = node["sql"]?.string else { return nil }
    var watch = Watch(name: name, sql: sql, send: words(node["send"]))
    watch.key = node["key"]?.scalarTexts ?? []
    if let within = node.duration("within") {
      watch.timeMax = within
      if within < .seconds(1) || within > .seconds(600) {
        complaints.add(node["within"], "\"within\" is 1s to 10m")
      }
    }
    return watch
  }

  private func words(_ node: JSON5Node?) -> [String] {
    let words = node?.elements?.compactMap(\.scalarText) ?? []
    if let first = words.first, first.isEmpty {
      complaints.add(node?.elements?.first, "the first word is the program: it is empty")
    }
    return words
  }
}
