internal import Base
internal import Crawl
internal import Media
internal import Store

/// Copies the images that a database names from one data folder to another. Images never change, so existing ones whose
/// bytes match their names stay.
struct PictureTransfer: Sendable {
  let context: CommandContext
  let from: String
  let to: String
  private(set) var copies = ImageCopies()

  /// Copies the images if `--media` is given.
  static func wanted(
    _ context: CommandContext, from: String, to: String,
    _ images: (UInt8) throws -> [StoredImageRow]
  ) async throws -> PictureTransfer? {
    guard context.invocation.has(.media) else { return nil }
    var transfer = PictureTransfer(context: context, from: from, to: to)
    try await transfer.run(images)
    return transfer
  }

  /// Nothing is missing.
  var isWhole: Bool { copies.missing.isEmpty }

  private mutating func run(_ images: (UInt8) throws -> [StoredImageRow]) async throws {
    var source: ContentStore?
    do { source = try ContentStore(dataFolder: from, for: .reading) } catch {
      guard error.kind == .missing else { throw error }
    }
    var target: ContentStore?
    for byte in UInt8.min...UInt8.max {
      let wanted = try images(byte).compactMap { StoredImage($0) }
      guard !wanted.isEmpty else { continue }
      guard let source else {
        copies.missing += wanted.map(\.path)
        continue
      }
      if context.interruption?.isAsked ?? false {
        throw ExitReport(.paused, "stopped by a signal: the pictures that are there stay")
      }
      let store = try target ?? ContentStore(dataFolder: to, for: .writing)
      target = store
      copies += try await store.bring(folder: byte, of: wanted, from: source)
    }
    if let target { _ = try await target.perform { store throws(MediaError) in try store.sweep() } }
  }

  func tell(on console: Console) {
    let all = copies.present + copies.linked + copies.copied
    var parts: [String] = []
    if copies.present > 0 { parts.append("\(Wording.number(copies.present)) were there") }
    if copies.linked > 0 { parts.append("\(Wording.number(copies.linked)) linked") }
    if copies.copied > 0 {
      parts.append("\(Wording.number(copies.copied)) copied (\(Wording.bytes(copies.bytes)))")
    }
    let how = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    console.print("\(Wording.count(all, "picture")) in \(to)/media\(how)")
    guard let first = copies.missing.first else { return }
    console.warn(
      "\(Wording.count(copies.missing.count, "picture")) missing or damaged in \(from), first \(first); trawl media verify downloads what is missing"
    )
  }
}
