internal import Base
internal import Media
internal import Report

/// The bytes of the pictures of a run's page, as long as they are small: those beside the rows that
/// changed come first, then what is new.
enum ContactSheet {
  private static let imageBytesMax = 256_000

  static func thumbnails(
    of facts: RunFacts, in content: ContentStore
  ) async -> [HTMLReport.Thumbnail] {
    let samples = Self.samples(of: facts)
    do {
      return try await content.perform { store throws(MediaError) in
        var sheet: [HTMLReport.Thumbnail] = []
        var left = HTMLReport.thumbnailBytesMax
        for sample in samples {
          guard let (digest, kind) = Self.name(of: sample.path),
            let bytes = try store.bytes(digest, kind, max: min(imageBytesMax, left))
          else { continue }
          left -= bytes.count
          sheet.append(
            HTMLReport.Thumbnail(
              path: sample.path, title: sample.title, mediaType: kind.mediaType, bytes: bytes))
        }
        return sheet
      }
    } catch {
      // The page renders without images; the disk error was already reported.
      return []
    }
  }

  private static func samples(of facts: RunFacts) -> [ImageSample] {
    let rows = facts.changes.flatMap { table in
      table.records.compactMap { record in
        record.imagePath.map { ImageSample(path: $0, title: record.name) }
      }
    }
    var seen: Set<String> = []
    let each = (rows + facts.images.newPaths).filter { seen.insert($0.path).inserted }
    return Array(each.prefix(HTMLReport.thumbnailsMax))
  }

  /// `media/ab/<digest>.<extension>`
  private static func name(of path: String) -> (SHA256Digest, ImageKind)? {
    guard let file = path.split(separator: "/").last else { return nil }
    let parts = file.split(separator: ".")
    guard parts.count == 2, let digest = SHA256Digest(hex: parts[0]),
      let kind = ImageKind(fileExtension: parts[1])
    else { return nil }
    return (digest, kind)
  }
}
