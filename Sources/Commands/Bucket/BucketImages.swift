internal import Glibc
internal import Base
internal import Bucket
internal import Media

/// The images of a bucket, for the image store and for commands.
struct BucketImages: ImageKeeper {
  let place: BucketPlace

  /// How much of them stays in a cache after a command.
  static let cacheBytesMax = 2_000_000_000

  func paths(inFolder name: String) throws(ImageKeeperProblem) -> Set<String> {
    Set(try told { () throws(BucketError) in try place.folder.pictures(in: "media/\(name)") })
  }

  func fetch(_ path: String) throws(ImageKeeperProblem) -> [UInt8]? {
    try told { () throws(BucketError) in try place.folder.fetch(picture: path) }
  }

  func keep(_ path: String, _ bytes: [UInt8], mediaType: String) throws(ImageKeeperProblem) {
    try told { () throws(BucketError) in
      try place.folder.keep(picture: path, bytes, type: mediaType)
    }
  }

  func remove(_ path: String) throws(ImageKeeperProblem) {
    try told { () throws(BucketError) in try place.folder.remove(picture: path) }
  }

  private func told<Value>(
    _ body: () throws(BucketError) -> Value
  ) throws(ImageKeeperProblem) -> Value {
    do throws(BucketError) { return try body() } catch {
      let report = place.report(error)
      // The store's key is not the API's, nor its request the job's.
      throw ImageKeeperProblem(
        report.lines[0], report.status == .unreachable ? .unreachable : nil)
    }
  }

  /// A local file with the image, for reading only.
  func file(_ path: String) throws -> String {
    let file = "\(place.cache)/\(path)"
    if access(file, F_OK) == 0 { return file }
    guard let bytes = try fetch(path) else {
      throw ExitReport(
        .found, "\(place.shown)/\(path) is not there: trawl media verify fetches it again")
    }
    BucketFolder.trimPictures("\(place.cache)/media", to: Self.cacheBytesMax)
    _ = FolderNames.make(AtomicFile.folder(of: file))
    try ReportFolder.replace(file, with: bytes)
    return file
  }
}
