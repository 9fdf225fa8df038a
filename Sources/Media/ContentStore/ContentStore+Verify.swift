internal import Glibc
public import Base

/// Compares the store with the rows, one of its 256 folders at a time, so that memory stays small
/// and the caller may stop in between. Blocks.
extension ContentStore {
  /// Checks every file of a folder, reads those of the sample, and compares them with the images
  /// that the rows name. A file without a row is stray only if it is older than the given time: a
  /// run may be about to write its row.
  public func check(
    folder byte: UInt8, expecting images: [StoredImage], sample: StoreSample = .all,
    strayBefore: Instant
  ) throws(MediaError) -> FolderCheck {
    var check = FolderCheck()
    let expected = images.filter { $0.digest.folder == byte }
    guard let folder = try openChecked(byte, expected, sample, into: &check) else { return check }
    for image in expected { try look(at: image, in: folder, sample, into: &check) }
    let names = Set(expected.map(\.fileName))
    try folder.eachName { (name) throws(MediaError) in
      guard !names.contains(String(cString: name)) else { return }
      try lookAtStray(name, in: folder, byte, strayBefore, into: &check)
    }
    return check
  }

  /// Sets aside what is found, so that the image can be fetched again. A missing file only needs
  /// the fetch.
  public func mend(_ finding: MediaFinding) throws(MediaError) {
    guard finding.kind != .missing else { return }
    let isFolder = finding.name.isEmpty
    let parent = isFolder ? media : try media.folder(StoredImage.folderName(finding.folder))
    guard let parent else { return }
    let name = isFolder ? Self.raw(StoredImage.folderName(finding.folder)) : finding.name
    for folder in try moveAside(name, from: parent) { try sync(folder.fd, folder.path) }
  }

  /// Nil if the folder is missing or not a folder; then every expected image is missing.
  private func openChecked(
    _ byte: UInt8, _ expected: [StoredImage], _ sample: StoreSample, into check: inout FolderCheck
  ) throws(MediaError) -> Folder? {
    let name = StoredImage.folderName(byte)
    let path = media.path(of: name)
    do {
      if let folder = try media.folder(name) { return folder }
    } catch {
      guard error.kind == .unsafe else { throw error }
      check.add(.wrong, path, "no folder", byte)
    }
    for image in expected {
      if try isKept(image, sample, into: &check) { continue }
      check.add(.missing, image.path, "its folder is not there", byte, image)
    }
    return nil
  }

  private func look(
    at image: StoredImage, in folder: Folder, _ sample: StoreSample, into check: inout FolderCheck
  ) throws(MediaError) {
    let byte = image.digest.folder
    do throws(MediaError) {
      var file = try FileReading.open(image.fileName, in: folder)
      if file.byteCount == 0 { return check.add(.empty, image.path, "no bytes", byte, image) }
      if file.byteCount != image.byteCount {
        let text = "\(file.byteCount) instead of \(image.byteCount) bytes"
        return check.add(.wrong, image.path, text, byte, image)
      }
      guard sample.holds(image.digest) else { return }
      check.filesRead += 1
      check.bytesRead += file.byteCount
      let digest = try file.digest()
      if digest != image.digest {
        check.add(.wrong, image.path, "its bytes have the digest \(digest)", byte, image)
      } else if let keeper, try fetch(image) == nil {
        // The file here is whole, so it is kept there again.
        try keep(image, by: keeper)
      }
    } catch {
      switch error.kind {
      case .missing:
        if try isKept(image, sample, into: &check) { return }
        check.add(.missing, image.path, "not there", byte, image)
      case .unsafe: check.add(.wrong, image.path, "no plain file", byte, image)
      case .io: check.add(.wrong, image.path, error.description, byte, image)
      default: throw error
      }
    }
  }

  /// Whether an image that is missing here is in the shared place; reads it there if it is in the sample.
  private func isKept(
    _ image: StoredImage, _ sample: StoreSample, into check: inout FolderCheck
  ) throws(MediaError) -> Bool {
    guard keeper != nil else { return false }
    guard sample.holds(image.digest) else { return true }
    guard let bytes = try fetch(image) else { return false }
    check.filesRead += 1
    check.bytesRead += bytes.count
    return true
  }

  private func lookAtStray(
    _ name: UnsafePointer<CChar>, in folder: Folder, _ byte: UInt8, _ limit: Instant,
    into check: inout FolderCheck
  ) throws(MediaError) {
    guard let facts = try folder.entry(name), facts.touchedAt < limit else { return }
    let isPlain = facts.st_mode & S_IFMT == S_IFREG
    let isOurs = isPlain && StoredImage.parts(ofName: String(cString: name))?.0.folder == byte
    let detail =
      isOurs ? "no row names it" : isPlain ? "not the name of a picture" : "no plain file"
    let raw = UnsafeBufferPointer(start: name, count: strlen(name) + 1)
    check.add(isOurs ? .stray : .foreign, folder.path(of: name), detail, byte, name: Array(raw))
  }

  static func raw(_ name: String) -> [CChar] { Array(name.utf8CString) }
}

extension FolderCheck {
  fileprivate mutating func add(
    _ kind: MediaFinding.Kind, _ path: String, _ detail: String, _ folder: UInt8,
    _ image: StoredImage? = nil, name: [CChar]? = nil
  ) {
    findings.append(
      MediaFinding(
        kind: kind, path: path, detail: detail, image: image, folder: folder,
        name: name ?? image.map { ContentStore.raw($0.fileName) } ?? []))
  }
}
