internal import Glibc
public import Base

/// Finds job files: by path, or by name in the user's folder, the system's, and the built-in ones.
public struct JobLibrary: Sendable {
  static let fileBytesMax = 1_000_000
  /// A user's settings may build on settings; more levels than this are circular.
  private static let levelsMax = 4

  /// `~/.config/trawl/jobs`
  public let userFolder: String?
  /// `/etc/trawl/jobs`
  public let systemFolder: String?

  /// A job file's text and its origin.
  public struct Source: Sendable {
    /// A path, or `built in: NAME`.
    public let file: String
    public let text: [UInt8]
    /// The name by which it was found; nil for a path.
    let expectedName: String?
  }

  /// Whether a word is a path to a job: it contains `/` or ends in `.json5`.
  public static func isPath(_ word: String) -> Bool {
    word.utf8.contains(UInt8(ascii: "/")) || word.hasSuffix(".json5")
  }

  /// All names without duplicates: the user's, the system's, the built-in ones.
  public var names: [String] {
    let own = ownNames
    return own + BuiltInJobs.all.map(\.name).filter { !own.contains($0) }
  }

  /// The user's and the system's, without duplicates.
  public var ownNames: [String] {
    var seen: Set<String> = []
    return folders.flatMap(FileText.jobNames).filter { seen.insert($0).inserted }
  }

  /// In search order.
  public var folders: [String] { [userFolder, systemFolder].compactMap { $0 } }

  /// Whether a job is found by its name, without listing folders.
  public func has(_ name: String) -> Bool {
    guard TextForm.jobName.problem(name) == nil else { return false }
    return folders.contains { access("\($0)/\(name).json5", F_OK) == 0 }
      || BuiltInJobs.file(name) != nil
  }

  /// The text of a job file, unchanged.
  public func source(_ word: String) throws(JobLoadError) -> Source {
    try source(word, except: [])
  }

  /// The job that a word names, validated.
  public func job(_ word: String) throws(JobLoadError) -> Job {
    try job(of: try source(word), except: [], level: 0)
  }

  private func job(
    of source: Source, except: Set<String>, level: Int
  ) throws(JobLoadError) -> Job {
    let used = except.union([source.file])
    do {
      return try JobFile.read(
        source.text, file: source.file, expectedName: source.expectedName, known: names
      ) { name throws(JobFileError) in
        guard level < Self.levelsMax else { return nil }
        do throws(JobLoadError) {
          return try job(of: try self.source(name, except: used), except: used, level: level + 1)
        } catch {
          // An invalid job is reported with its own places; a missing one by the file that uses it.
          if case .invalid(let problems) = error { throw problems }
          return nil
        }
      }
    } catch { throw .invalid(error) }
  }

  private func source(_ word: String, except: Set<String>) throws(JobLoadError) -> Source {
    if Self.isPath(word) {
      guard let text = try text(word) else { throw .notFound("there is no file \(word.shown)") }
      return Source(file: word, text: text, expectedName: nil)
    }
    guard TextForm.jobName.problem(word) == nil else {
      throw .notFound(
        "\"\(word.shown)\" is not a job name" + Suggestion.clause(for: word, in: names)
          + " (a file is named by its path)")
    }
    for folder in folders {
      let path = "\(folder)/\(word).json5"
      if !except.contains(path), let text = try text(path) {
        return Source(file: path, text: text, expectedName: word)
      }
    }
    if let file = BuiltInJobs.file(word), !except.contains(Self.builtIn(word)) {
      return Source(file: Self.builtIn(word), text: file.text, expectedName: word)
    }
    throw .notFound(
      "there is no job \"\(word)\"" + Suggestion.clauseOrList(for: word, in: names)
        + " (a file in this folder is named by its path: ./\(word).json5)")
  }

  private static func builtIn(_ name: String) -> String { "built in: \(name)" }

  private func text(_ path: String) throws(JobLoadError) -> [UInt8]? {
    switch FileText.read(path, bytesMax: Self.fileBytesMax) {
    case .bytes(let bytes, _, _): return bytes
    case .none: return nil
    case .unreadable(let why): throw .unreadable("\(path) cannot be read: \(why)")
    }
  }
}

extension JobLibrary {
  /// The folders of an environment.
  public init(environment: (String) -> String?) {
    self.init(
      userFolder: ConfigurationFolder.path(environment).map { "\($0)/jobs" },
      systemFolder: "/etc/trawl/jobs")
  }
}

/// Why there is no job to run.
public enum JobLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  case notFound(String)
  case unreadable(String)
  case invalid(JobFileError)

  public var description: String {
    switch self {
    case .notFound(let sentence), .unreadable(let sentence): sentence
    case .invalid(let error): error.description
    }
  }
}

/// The folder of the user's settings.
public enum ConfigurationFolder {
  /// `$XDG_CONFIG_HOME/trawl`, else `~/.config/trawl`; nil if neither is set. Relative paths are ignored, as the XDG
  /// specification says.
  public static func path(_ environment: (String) -> String?) -> String? {
    if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return "\(folder)/trawl"
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.config/trawl"
  }
}
