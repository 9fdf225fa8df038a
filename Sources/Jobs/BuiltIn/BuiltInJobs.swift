/// The job files of this folder's namesake `jobs/`, compiled in, so that the bare binary knows them.
public enum BuiltInJobs {
  /// One job file: its name without `.json5`, and its text.
  public struct File: Sendable {
    public let name: String
    public let text: String
  }

  /// In the order of their files.
  public static let all: [File] = [
    giphy, github, newsapi, openmarket, youtubeProxy, youtube,
  ]

  public static func file(_ name: String) -> File? {
    all.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
