internal import Media
internal import Model
internal import Report

/// The bytes of a run's new thumbnails for its page, as long as they are small.
enum ContactSheet {
  private static let imageBytesMax = 256_000

  static func thumbnails(
    of facts: RunFacts, in content: ContentStore
  ) async -> [HTMLReport.Thumbnail] {
    let samples = facts.images.newPaths.prefix(HTMLReport.thumbnailsMax)
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
            HTMLReport.Thumbnail(title: sample.title, mediaType: kind.mediaType, bytes: bytes))
        }
        return sheet
      }
    } catch {
      // The page renders without images; the disk error was already reported.
      return []
    }
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
