internal import Base
internal import Drafting
internal import Jobs

/// A job file to which a drafted list is added: `trawl new URL --into FILE`. The user's text stays byte for byte.
struct JobAddition: Sendable {
  let file: String
  let job: Job
  private let text: String
  /// After the opening brace of its streams.
  private let place: String.Index

  private static let bytesMax = 1_000_000

  init(_ file: String) throws(ExitReport) {
    self.file = file
    guard case .bytes(let bytes, _, _) = FileText.read(file, bytesMax: Self.bytesMax) else {
      throw ExitReport(.usage, "\(file) cannot be read: --into names a job file that is there")
    }
    do { job = try JobFile.read(bytes, file: file) } catch {
      throw ExitReport(
        .configuration,
        lines: ["\(file) must be a valid job file first:"] + error.problems.map(\.description))
    }
    text = String(decoding: bytes, as: UTF8.self)
    // Job files are JSON5.
    guard let streams = (try? JSON5Reader.read(bytes))?["streams"] else {
      throw ExitReport(
        .usage, "\(file) holds settings of another job: --into takes a job with streams of its own")
    }
    // Behind the brace.
    place = text.utf8.index(text.startIndex, offsetBy: streams.position.offset + 1)
  }

  /// The list must be of the same API.
  func check(_ address: WebAddress) throws(ExitReport) {
    let base = job.base
    let parts = base.path.split(separator: "/")
    guard address.origin == base.origin, address.path.split(separator: "/").starts(with: parts)
    else {
      throw ExitReport(
        .usage, "\(file) is a job of \(base): a list of another API is a job of its own",
        "leave out --into")
    }
  }

  /// The file with the draft's stream before the others, unless it was changed since: a question may wait for hours.
  func text(adding draft: DraftText) throws(ExitReport) -> String {
    guard case .bytes(let bytes, _, _) = FileText.read(file, bytesMax: Self.bytesMax),
      bytes.elementsEqual(text.utf8)
    else {
      throw ExitReport(
        .failed, "\(file) was changed meanwhile, and stays as it is", "run the same command again")
    }
    return text[..<place] + "\n" + draft.stream + text[place...]
  }
}
