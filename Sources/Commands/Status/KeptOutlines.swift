internal import Base
internal import Jobs

/// `reports/.jobs.json`: what job files said when they were last read for the index of reports, so that those which lie as
/// they lay are not read again. A note, no fact: where it is missing, damaged or of another program, all files are read.
///
/// What a file said is kept with every place that was looked at to find it, those where nothing was among them: a file
/// that somebody puts before it, or the one that it uses, counts like the file itself.
final class KeptOutlines: Sendable {
  private struct Note {
    var looks: [FileLook]
    var outline: JobOutline
  }

  private struct State {
    /// As an earlier run wrote it, by the word that led to the file.
    var earlier: [String: JSONValue] = [:]
    var notes: [String: Note] = [:]
    var isAsWritten = true
  }

  private static let bytesMax = 64_000_000

  private let path: String
  private let folders: [String]
  /// Of this machine, since its files are.
  private let now: @Sendable () -> Int64
  private let state: Locked<State>

  init(
    _ path: String, _ library: JobLibrary, now: @escaping @Sendable () -> Int64 = { FilePlace.now }
  ) {
    self.path = path
    folders = library.folders
    self.now = now
    var state = State()
    if let document = Self.read(path), document["program"]?.isString(Version.build) == true,
      document["folders"]?.elements.compactMap(\.string) == folders,
      let jobs = document["jobs"]?.elements
    {
      for kept in jobs {
        if let word = kept["word"]?.string { state.earlier[word] = kept }
      }
    }
    self.state = Locked(state)
  }

  /// What the file said that a word leads to; nil: it has to be read.
  func outline(_ word: String) -> JobOutline? {
    state.withLock { state in
      if let note = state.notes[word] { return note.outline }
      guard let kept = state.earlier[word], let looks = Self.looks(kept),
        looks.allSatisfy({ FileLook(at: $0.path) == $0 }), let outline = JobOutline(kept)
      else { return nil }
      state.notes[word] = Note(looks: looks, outline: outline)
      return outline
    }
  }

  /// - Parameter looks: from before the files were read.
  func keep(_ outline: JobOutline, _ word: String, _ looks: [FileLook]) {
    let now = now()
    guard outline.canBeKept, looks.allSatisfy({ $0.isSettled(at: now) }) else { return }
    state.withLock { state in
      state.notes[word] = Note(looks: looks, outline: outline)
      state.isAsWritten = false
    }
  }

  /// Nothing is written where it would be what is there.
  func write() throws(ExitReport) {
    let bytes: [UInt8]? = state.withLock { state in
      if state.isAsWritten, state.notes.count == state.earlier.count { return nil }
      return document(state.notes)
    }
    guard let bytes else { return }
    try ReportFolder.replace(path, with: Array(Self.seal(of: bytes).utf8) + bytes)
  }

  private func document(_ notes: [String: Note]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("program", Version.build)
      out.array("folders") { out in
        for folder in folders { out.string(folder) }
      }
      out.array("jobs") { out in
        for (word, note) in notes.sorted(by: { $0.key < $1.key }) {
          out.object { out in
            out.member("word", word)
            out.array("looks") { out in
              for look in note.looks { out.object { Self.write(look, &$0) } }
            }
            note.outline.write(&out)
          }
        }
      }
    }
    writer.newline()
    return writer.bytes
  }

  private static func write(_ look: FileLook, _ out: inout JSONWriter) {
    out.member("path", look.path)
    guard let place = look.place else { return }
    out.member("device", place.identity.device)
    out.member("inode", place.identity.inode)
    out.member("size", place.size)
    out.member("written", place.written)
    out.member("changed", place.changed)
  }

  private static func looks(_ kept: JSONValue) -> [FileLook]? {
    guard let all = kept["looks"]?.elements else { return nil }
    var looks: [FileLook] = []
    for look in all {
      guard let path = look["path"]?.string else { return nil }
      guard look["device"] != nil else {
        looks.append(FileLook(path, nil))
        continue
      }
      guard let device = look["device"]?.unsigned, let inode = look["inode"]?.unsigned,
        let size = look["size"]?.integer, let written = look["written"]?.integer,
        let changed = look["changed"]?.integer
      else { return nil }
      looks.append(
        FileLook(
          path,
          FilePlace(
            identity: FileIdentity(device: device, inode: inode), size: size, written: written,
            changed: changed)))
    }
    return looks
  }

  /// The first line: a digest of the rest.
  private static func seal(of bytes: some Sequence<UInt8>) -> String {
    String(Digest64.of(bytes), radix: 16) + "\n"
  }

  private static func read(_ path: String) -> JSONValue? {
    guard case .bytes(let bytes, _, _) = FileText.read(path, bytesMax: bytesMax),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    let rest = Array(bytes[(end + 1)...])
    guard bytes[...end].elementsEqual(seal(of: rest).utf8) else { return nil }
    // One that was written by another program in the same place.
    return try? JSONDocument.read(rest).root
  }
}
