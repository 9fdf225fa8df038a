internal import Media
internal import Store

/// `trawl media verify|gc|path`: commands on the folder of images.
struct MediaCommand: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    switch context.invocation.action {
    case "verify": try await MediaVerification(context: context).perform()
    case "gc": try await MediaCollection(context: context).perform()
    case "path": try await MediaPath(context: context).perform()
    default: throw ExitReport(.usage, "say what to do with the images: verify, gc or path")
    }
  }
}

/// The database of the data folder and its images, opened together.
struct MediaPlace: Sendable {
  let folder: DataFolder
  let store: RecordStore
  /// Nil if no image was ever stored.
  let content: ContentStore?

  init(_ context: CommandContext, for use: ContentStore.Use) async throws {
    let location =
      use == .writing ? try context.locationForWriting() : try context.locationForReading()
    folder = try DataFolder(
      withDatabase: location.folder, or: ": no image was stored there",
      "name the folder with --data DIR")
    do {
      content = try ContentStore(dataFolder: folder.path, for: use, keeper: context.images)
    } catch {
      guard use == .reading, error.kind == .missing else { throw error }
      content = nil
    }
    store =
      use == .writing
      ? try await RecordStore.open(folder, context.storeSettings)
      : try await RecordStore.openForReading(folder, context.storeSettings)
  }
}
