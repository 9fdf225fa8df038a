internal import Glibc
internal import Base
internal import Jobs

/// The user's keys: which exist, and that nobody else can read them. Their text is not read.
struct KeyFolderCheck {
  let environment: Environment

  var findings: [Finding] {
    guard let configuration = ConfigurationFolder.path({ environment($0) }) else {
      return [
        .note(
          "keys", "there is no HOME, so no key folder", cure: "keys are then read from variables")
      ]
    }
    let folder = "\(configuration)/keys"
    let names = FolderNames.all(of: folder).filter { !$0.hasPrefix(".") }.sorted()
    guard !names.isEmpty else { return [.fine("keys", "none are kept in \(folder)")] }
    if let why = KeyFolder.openness(of: folder) {
      return [.problem("keys", "\(folder): \(why)", .secret)]
    }
    return names.map { name in
      var facts = stat()
      let path = "\(folder)/\(name)"
      guard stat(path, &facts) == 0 else {
        return .problem("keys", "\(path): \(SystemError.latest)", .secret)
      }
      guard KeyFolder.isPrivate(facts.st_mode) else {
        return .problem(
          "keys", "\(path) can be read by others", cure: "chmod 600 \(ShellWord.quoted(path))",
          .secret)
      }
      return .fine("keys", "\(path) is there, for you alone")
    }
  }
}
