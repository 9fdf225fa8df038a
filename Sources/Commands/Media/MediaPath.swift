internal import JSON
internal import Jobs
internal import Media
internal import Model
internal import Store

/// `trawl media path TABLE KEY`: where a record's images lie.
struct MediaPath: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let place = try await MediaPlace(context, for: .reading)
    let (table, key) = (context.invocation.operands[0], context.invocation.operands[1])
    do {
      let tables = try await place.store.tablesOfRecords()
      let images = try await place.store.imagePaths(table: table, key: key)
      await place.store.close()
      return try show(images, table, key, tables, place.folder)
    } catch {
      await place.store.close()
      throw error
    }
  }

  private func show(
    _ images: [RecordStore.RecordImage]?, _ table: String, _ key: String,
    _ tables: [(name: String, hasImages: Bool)], _ folder: DataFolder
  ) throws(Ending) -> ExitStatus {
    guard let known = tables.first(where: { $0.name.utf8.elementsEqual(table.utf8) }) else {
      let names = tables.filter(\.hasImages).map(\.name).joined(separator: ", ")
      throw Ending(
        .usage, "there is no table \(table)",
        names.isEmpty ? "no job here has images" : "tables with images: \(names)")
    }
    guard known.hasImages else {
      throw Ending(.usage, "\(table) has no images: its job names none")
    }
    guard let images else {
      throw Ending(
        .usage, "\(table) has no record \(key)",
        "a key of several columns is written as a JSON list: '[\"a\", 1]'")
    }
    for image in images {
      if context.invocation.has(.json) {
        var writer = JSONWriter()
        writer.object { out in
          out.member("table", table)
          out.member("key", key)
          out.member("role", image.role)
          out.member("path", image.path.map { "\(folder.path)/\($0)" })
        }
        context.console.printJSON(writer.bytes)
      } else if let path = image.path {
        context.console.printExact(Array("\(folder.path)/\(path)".utf8))
      }
    }
    if images.contains(where: { $0.path != nil }) { return .complete }
    if !context.invocation.has(.json) {
      context.console.tell("\(table) \(key) has no image here: not fetched yet, or refused")
    }
    return .found
  }
}
