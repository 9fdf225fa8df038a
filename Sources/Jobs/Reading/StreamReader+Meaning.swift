internal import Base

/// The roles of a stream's columns: keys, images, searches, views.
extension StreamReader {
  func readMeaning(_ stream: inout Stream, values: [String]) {
    let columns = stream.columns.map(\.name)
    checkKey(stream)
    if let keep = node["keep"], let text = keep.string {
      if let problem = SQLExpression.problem(text, names: columns) {
        complaints.add(keep, "keep: \(problem)")
      }
      stream.keep = text
    }
    readVanishing(&stream, values: values)
    stream.emptyHint = node["emptyHint"]?.string
    stream.ownsTable = node["inserts"]?.boolean ?? true
    stream.retain = node.duration("retain")
    stream.isFollowed = node["feed"]?.boolean ?? false
    for member in node.entries("items") {
      guard let name = member.value.string else { continue }
      guard member.key == "link", TemplateText.isAddress(name) else {
        complaints.expect([member.value], among: columns) { "there is no column \"\($0)\"" }
        stream.roles[member.key] = name
        continue
      }
      let template = TemplateText.read(name)?.template
      for hole in template?.holes ?? [] {
        complaints.expect(hole, in: columns, at: member.value, "there is no column \"\(hole)\"")
      }
      stream.link = template
    }
    readSearch(&stream)
    stream.media = node.entries("media").compactMap { image($0.key, $0.value, stream) }
    if let found = node["listName"], let template = found.string.flatMap(TemplateText.read) {
      complaints.expectFilled(
        template.template.holes, in: values, at: found,
        by: "it is not a value of this stream's requests")
      stream.listName = template.template
    }
  }

  private func readVanishing(_ stream: inout Stream, values: [String]) {
    guard let vanish = node["vanish"], vanish.string != "keep" else { return }
    stream.marksVanished = true
    if vanish.members != nil {
      stream.confirmation = ConfirmationReader(
        node: vanish, values: values, columns: stream.columns.map(\.name),
        complaints: complaints
      ).read()
      checkConfirmed(vanish)
    }
    if stream.total?.trust == .estimate {
      complaints.add(
        vanish,
        "vanish: nothing is ever marked in a list whose total is an estimate; leave the total out,"
          + " so that its pages alone decide the end, or leave out vanish")
    }
  }

  /// Reports settings with which nothing is ever marked, or no answer proves anything.
  private func checkConfirmed(_ vanish: JSON5Node) {
    if node["window"] != nil {
      complaints.add(
        vanish, "vanish: a walk of a window marks nothing, so there is nothing to confirm")
    } else if node["kind"]?.string == "search" {
      complaints.add(
        vanish,
        "vanish: a search returns others each time; that a record is there says nothing of it")
    }
  }

  private func checkKey(_ stream: Stream) {
    let declared = node.entries("columns").map(\.key)
    complaints.expect(node["key"]?.elements ?? [], among: declared) {
      "the key names \"\($0)\", which is not a column"
    }
    checkOwnKey(stream)
    var seen: [String] = []
    for place in node["key"]?.elements ?? [] {
      guard let name = place.string, let column = stream.column(name) else { continue }
      if seen.contains(name) { complaints.add(place, "the key names \"\(name)\" twice") }
      seen.append(name)
      if column.isVolatile { complaints.add(place, "a volatile column cannot be part of the key") }
      if column.kind == .json || column.kind == .real {
        complaints.add(place, "a column of type real or json cannot be part of the key")
      }
    }
  }

  /// Sources that only some lists can give a record.
  private func checkOwnKey(_ stream: Stream) {
    for column in stream.columns
    where column.source == .memberName && !stream.records.endsEverywhere {
      complaints.add(
        node["columns"]?[column.name],
        "a record has a name where \"records\" leads to every member of an object: records: \"rates.*\""
      )
    }
    let isDigest = stream.key.contains { stream.column($0)?.source == .digest }
    if isDigest, stream.total?.trust == .counted {
      complaints.add(
        node["total"],
        "total: with a digest as the key equal records are one, and a counted total counts both; say"
          + " \"steady\" or \"none\"")
    }
  }

  private func readSearch(_ stream: inout Stream) {
    for place in node["search"]?.elements ?? [] {
      guard let name = place.string else { continue }
      complaints.expect([place], among: stream.columns.map(\.name)) {
        "search: there is no column \"\($0)\""
      }
      if let kind = stream.column(name)?.kind, kind != .text, kind != .url {
        complaints.add(place, "search: the column \(name) is not text")
      }
      stream.searchable.append(name)
    }
  }

  private func image(_ role: String, _ node: JSON5Node, _ stream: Stream) -> MediaRole? {
    let place = node.members == nil ? node : node["url"]
    guard let place, let (name, adding) = place.string.flatMap(ImageText.read) else { return nil }
    let known = stream.columns.map(\.name)
    complaints.expect(name, in: known, at: place, "media: there is no column \"\(name.shown)\"")
    if let kind = stream.column(name)?.kind, kind != .text, kind != .url {
      complaints.add(place, "media: the column \(name) holds no URL")
    }
    if known.contains("\(role)_path") {
      complaints.add(
        node, "media: the view of images would have two columns \(role)_path; rename one")
    }
    complaints.expect(node["identity"]?.elements ?? [], among: known) {
      "media: there is no column \"\($0)\""
    }
    for entry in node["identity"]?.elements ?? []
    where entry.string.flatMap({ stream.column($0) })?.kind == .real {
      complaints.add(entry, "media: a column of type real cannot identify an image")
    }
    return MediaRole(
      name: role, column: name, identity: node["identity"]?.scalarTexts ?? [],
      adding: adding)
  }
}
