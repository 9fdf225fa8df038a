internal import Glibc
internal import Base
internal import Media
internal import Store

/// `trawl media path TABLE KEY`: the paths of a record's images.
struct MediaPath: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let place = try await MediaPlace(context, for: .reading)
    return try await context.use(place.store) { try await show(place) }
  }

  private func show(_ place: MediaPlace) async throws -> ExitStatus {
    let table = try await table(place)
    let word = context.invocation.operands[1]
    let key = try await place.store.keyText(table.key(typed: word))
    guard let images = try await place.store.imagePaths(table: table.name, key: key) else {
      throw ExitReport(
        .usage, "\(table.name) has no record \(word)",
        "its key is \(table.key.map(\.name).joined(separator: ", "))")
    }
    return try show(images, table.name, key, place.folder)
  }

  private func table(_ place: MediaPlace) async throws -> KeyedTable {
    let word = context.invocation.operands[0]
    let pictured = try await place.store.picturedTables()
    let tables = try await place.store.keyedTables()
    guard let table = tables.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else {
      throw ExitReport(
        .usage, "there is no table of records called \(word)",
        pictured.isEmpty
          ? "no job here has images" : "tables with images: \(pictured.joined(separator: ", "))")
    }
    guard pictured.containsBytes(word) else {
      throw ExitReport(.usage, "\(word) has no images: its job names none")
    }
    return table
  }

  private func show(
    _ images: [RecordStore.RecordImage], _ table: String, _ key: String, _ folder: DataFolder
  ) throws -> ExitStatus {
    var status = ExitStatus.found
    for image in images {
      // A disk that is not mounted leaves all rows as they were.
      var path = try image.path.map { try context.images?.file($0) ?? "\(folder.path)/\($0)" }
      if let file = path, access(file, F_OK) != 0 { path = nil }
      if path != nil { status = .complete }
      if context.invocation.has(.json) {
        context.console.printJSON([
          "table": table, "key": key, "role": image.role,
          "path": path,
        ])
      } else if let path {
        context.console.printExact(Array(path.utf8))
      }
    }
    if status == .found, !context.invocation.has(.json) {
      context.console.tell(
        "\(table) \(key) has no image here: not fetched yet, refused, lost or removed")
    }
    return status
  }
}
