internal import Glibc
internal import Base
internal import Transport

/// Reports, feeds and the state of alerts: files beside the database, each an object of its name.
struct SideFiles {
  static let folders = ["reports", "feeds", "alerts"]

  let folder: BucketFolder
  /// Their folder on this machine.
  let root: String
  let noteFile: String
  var onWork: @Sendable () -> Void = {}

  /// The state of a file when it was last the same here and in the bucket.
  private struct Note: JSONShape {
    var tag = ""
    /// Of the file here.
    var size: Int64 = 0
    var written: Int64 = 0

    static let empty = Note()
    static let fields = JSONFields<Note>([
      .value("tag", \.tag), .value("size", \.size), .value("written", \.written),
    ])
  }

  /// Fetches what another machine has put, and removes what it has removed.
  func fetch() throws(BucketError) {
    var notes = readNotes()
    var there: Set<String> = []
    for area in Self.folders {
      for object in try folder.list(folder.key("\(area)/")) {
        let path = folder.name(of: object.key)
        guard Self.isSafe(path) else { continue }
        there.insert(path)
        let file = "\(root)/\(path)"
        if notes[path]?.tag == object.tag, CacheFile.isThere(file) { continue }
        guard let stored = try folder.fetch(object.key) else { continue }
        try CacheFile.makeFolder(AtomicFile.folder(of: file))
        try CacheFile.write(stored.bytes, to: file)
        notes[path] = Self.note(object.tag, file)
        onWork()
      }
    }
    for path in notes.keys where !there.contains(path) {
      CacheFile.remove("\(root)/\(path)")
      notes[path] = nil
    }
    try write(notes)
  }

  /// Puts the files here, and deletes objects whose files are gone. An unreadable file is reported at the end, so that
  /// the others are put.
  func put() throws(BucketError) {
    var notes = readNotes()
    var unread: BucketError?
    for area in Self.folders {
      for path in Self.paths(in: area, of: root) {
        let file = "\(root)/\(path)"
        if let note = notes[path], Self.note(note.tag, file) == note { continue }
        let note = Self.note("", file)
        guard let bytes = FileBytes.first(.max, of: file) else {
          // ENOENT: it was removed meanwhile.
          if errno != ENOENT { unread = unread ?? .disk(file, SystemError.latest) }
          continue
        }
        let outcome = try folder.put(folder.key(path), bytes, type: Self.type(of: path))
        if var note, case .stored(let tag, _) = outcome {
          note.tag = tag
          notes[path] = note
        }
        onWork()
      }
    }
    // Asks for each file: a folder that cannot be listed may still have its files.
    for path in notes.keys where access("\(root)/\(path)", F_OK) != 0 && errno == ENOENT {
      try folder.delete(folder.key(path))
      notes[path] = nil
    }
    try write(notes)
    if let unread { throw unread }
  }

  /// Files of two levels: a folder for each job, and its reports.
  private static func paths(in folder: String, of work: String) -> [String] {
    FolderNames.all(of: "\(work)/\(folder)").sorted().flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      var facts = stat()
      guard isSafe(path), stat("\(work)/\(path)", &facts) == 0 else { return [] }
      return facts.st_mode & S_IFMT == S_IFDIR ? paths(in: path, of: work) : [path]
    }
  }

  /// Whether an object's name leads nowhere else. Drafts and locks are left out.
  private static func isSafe(_ path: String) -> Bool {
    path.split(separator: "/", omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
      && !path.hasSuffix(AtomicFile.ending) && !path.hasSuffix(".lock")
  }

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "json": "application/json"
    case "xml", "atom": "application/atom+xml"
    default: "application/octet-stream"
    }
  }

  private static func note(_ tag: String, _ file: String) -> Note? {
    FilePlace(path: file).map { Note(tag: tag, size: $0.size, written: $0.written) }
  }

  private func readNotes() -> [String: Note] {
    let text = FileBytes.first(.max, of: noteFile).map { String(decoding: $0, as: UTF8.self) }
    // Without notes all is compared by fetching it.
    return text.flatMap(JSONValue.init(text:)).flatMap { [String: Note](json: $0) } ?? [:]
  }

  private func write(_ notes: [String: Note]) throws(BucketError) {
    try CacheFile.write(Array(notes.jsonText.utf8), to: noteFile)
  }
}

extension Claim {
  private var files: SideFiles {
    SideFiles(
      folder: folder, root: settings.work, noteFile: "\(settings.cache)/notes/files",
      onWork: settings.onWork)
  }

  public func fetchFiles() throws(BucketError) { try files.fetch() }

  /// One process of this cache at a time. Nothing about a file shows that another machine has the folder now, so a lease
  /// that has ended is asked for at the head before.
  /// - Parameter isRenewed: one that lives, too.
  public func putFiles(isRenewed: Bool = false) throws(BucketError) {
    let turn = try CacheFile.lock("\(settings.cache)/put-files.lock", waiting: nil)
    defer { withExtendedLifetime(turn) {} }
    if isRenewed || !isLive { try renew() }
    try files.put()
  }
}
