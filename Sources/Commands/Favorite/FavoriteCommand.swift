internal import Glibc
internal import Base
internal import Store

/// `trawl favorite add|remove|list`: records that the user marked. Takes no job's lock, so it works during a run.
struct FavoriteCommand: Sendable {
  let context: CommandContext

  private var invocation: Invocation { context.invocation }
  private var words: ArraySlice<String> { invocation.operands.dropFirst() }

  func perform() async throws -> ExitStatus {
    switch invocation.action {
    case "add": try await change(adding: true)
    case "remove": try await change(adding: false)
    case "list": try await list()
    default: throw ExitReport(.usage, "say what to do: add, remove or list")
    }
  }

  // MARK: Adding and removing

  private func change(adding isAdding: Bool) async throws -> ExitStatus {
    let word = invocation.operands[0]
    let location = try context.locationForWriting()
    // Errors in the arguments are reported before anything is created.
    let target = try FavoriteTarget(
      word, here: try await tables(in: location), context.environment)
    _ = try target.table.keys(typed: words)
    let system = SystemRuns(context: context)
    try await system.refuse(jobs: [target.table.job])
    let folder =
      try isAdding
      ? DataFolder(creating: location.folder)
      : DataFolder(withDatabase: location.folder, or: ": there are no favorites to remove")
    try system.refuseReadOnly(folder)
    let store = try await RecordStore.open(folder, context.storeSettings)
    return try await context.use(store) {
      let target = try FavoriteTarget(
        word, here: try await store.keyedTables(), context.environment)
      if isAdding { try await add(target, store) } else { try await remove(target, store) }
      return .complete
    }
  }

  private func tables(in location: DataLocation) async throws -> [KeyedTable] {
    guard let store = try await context.storeForReading(location) else { return [] }
    return try await context.use(store) { try await store.keyedTables() }
  }

  private func keyTexts(_ target: FavoriteTarget, _ store: RecordStore) async throws -> [String] {
    var texts: [String] = []
    for key in try target.table.keys(typed: words) { texts.append(try await store.keyText(key)) }
    return texts
  }

  private func add(_ target: FavoriteTarget, _ store: RecordStore) async throws {
    let table = target.table.name
    let keys = try await keyTexts(target, store)
    let added = try await store.addFavorites(table: table, keys: keys)
    let known = try await store.favorites().filter { $0.table == table }
    let isStored = try await store.keyedTables().contains { $0.name == table }
    for (key, values) in zip(keys, try target.table.keys(typed: words)) {
      let what = added.contains(key) ? "added" : "was one already"
      let record = known.first { $0.key.utf8.elementsEqual(key.utf8) }
      guard record?.isStored != true else {
        let title = record?.title.map { "  \($0)" } ?? ""
        tellDone("\(table) \(key)\(title): \(what)")
        continue
      }
      // Tables that no run has created have none.
      let stone =
        isStored
        ? try await store.provenance(of: target.table, key: values, column: nil) : nil
      let next =
        stone?.forgottenAt != nil && stone?.mayReturn == false
        ? "it was forgotten, and no run stores it: trawl forget --undo \(table) \(ShellWord.quoted(key)) lets one"
        : target.isFetched
          ? "the next run of \(target.table.job) requests it"
          : "it shows up when a list returns it"
      tellDone("\(table) \(key): \(what); not here yet, \(next)")
    }
  }

  private func tellDone(_ line: ConsoleText) {
    context.tellDone { context.console.tell(line) }
  }

  private func remove(_ target: FavoriteTarget, _ store: RecordStore) async throws {
    let table = target.table.name
    let keys = try await keyTexts(target, store)
    let removed = try await store.removeFavorites(table: table, keys: keys)
    for key in keys {
      let what = removed.contains(key) ? "removed" : "is not a favorite"
      tellDone("\(table) \(key): \(what)")
    }
  }

  // MARK: Listing

  private func list() async throws -> ExitStatus {
    let location = try context.locationForReading()
    let store = try await context.storeThatIsThere(location)
    let favorites = try await context.use(store) {
      let all = try await store.favorites()
      guard let word = invocation.operands.first else { return all }
      let target = try FavoriteTarget(
        word, here: try await store.keyedTables(), context.environment)
      return all.filter { $0.table.utf8.elementsEqual(target.table.name.utf8) }
    }
    var rows = AlignedRows(indent: 0)
    for favorite in favorites {
      if invocation.has(.json) {
        context.console.printJSON(Self.document(favorite))
      } else {
        let title = favorite.title ?? (favorite.isStored ? "" : "(not here yet)")
        rows.add(favorite.table, favorite.key, title, favorite.link ?? "")
      }
    }
    context.console.print(rows)
    if favorites.isEmpty { context.console.tell("no favorite: trawl favorite add JOB KEY") }
    return .complete
  }

  private static func document(_ favorite: Favorite) -> JSONObject {
    [
      "table": favorite.table, "key": favorite.key, "added_at": favorite.addedAt.description,
      "stored": favorite.isStored, "title": favorite.title, "link": favorite.link,
      "image_path": favorite.imagePath,
    ]
  }
}
