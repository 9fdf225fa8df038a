import Glibc
import TestSupport

/// The files of this checkout, for tests of its structure.
struct SourceFile: Sendable {
  /// From the root: `Sources/Walk/Walker.swift`.
  let path: String
  let text: String
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  var name: String { String(path.split(separator: "/").last ?? "") }
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  /// The target it belongs to.
  var module: String {
    let folders = path.split(separator: "/").dropLast()
    return String(folders.dropFirst(path.hasPrefix("Tests/Sandbox/") ? 2 : 1).first ?? "")
  }

  /// Each line that is not a comment, with its number.
  var code: [(number: Int, line: String)] {
    lines.enumerated().map { ($0.offset + 1, $0.element) }.filter { !$0.line.isComment }
  }

  /// Whether a line or the one above it holds a comment.
  func isExplained(at number: Int) -> Bool {
    lines[number - 1].holds("//") || (number > 1 && lines[number - 2].isComment)
  }
}

extension String {
  /// By bytes, in C: the standard library's search by characters takes a hundred times as long
  /// without optimisation.
  func holds(_ word: String) -> Bool { strstr(self, word) != nil }

  var trimmed: Substring { self[...].drop { $0 == " " } }
  var isComment: Bool { trimmed.hasPrefix("//") }
}

enum Checkout {
  /// The root of the repository, from where this file lies.
  static let root = Golden.root

  static func files(under folder: String, endingIn suffix: String = ".swift") -> [SourceFile] {
    let names = ScratchFolder.names(in: "\(root)/\(folder)").filter { !$0.hasPrefix(".") }
    return names.sorted().flatMap { name in
      let path = "\(folder)/\(name)"
      // What is no folder holds no names.
      return name.hasSuffix(suffix)
        ? [SourceFile(path: path, text: read(path))] : files(under: path, endingIn: suffix)
    }
  }

  static func exists(_ path: String, under folder: String = "\(root)/") -> Bool {
    access(folder + path, F_OK) == 0
  }

  static func read(_ path: String, under folder: String = "\(root)/") -> String {
    Golden.read(folder + path) ?? ""
  }
}
