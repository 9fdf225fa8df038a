internal import Glibc
internal import Base
internal import Jobs

/// A file that describes an API: a manifest, or an OpenAPI description.
enum DescriptionFile {
  static let bytesMax = 16_000_000

  static func read(_ path: String) throws(ExitReport) -> [UInt8] {
    switch FileText.read(path, bytesMax: bytesMax) {
    case .bytes(let bytes, _, _): return bytes
    case .none: throw ExitReport(.usage, "\(path): there is no such file")
    case .unreadable(let why): throw ExitReport(.failed, "\(path) cannot be read: \(why)")
    }
  }

  /// A word of the command line that is no address.
  static func path(_ operand: String) -> String? {
    if operand.holds("://") { return nil }
    let endings = [".json", ".yaml", ".yml"]
    if endings.contains(where: operand.lowercased().hasSuffix) { return operand }
    var facts = stat()
    return stat(operand, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? operand : nil
  }

  static func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// What it is called, where its own name says nothing: `shop` of `source-shop/manifest.yaml`.
  static func title(_ path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    let stem = parts.last.map { String($0.prefix { $0 != "." }) } ?? ""
    let generic: Set = ["manifest", "openapi", "swagger", "api", ""]
    let word = generic.contains(stem.lowercased()) ? parts.dropLast().last ?? stem : stem
    return word.hasPrefix("source-") ? String(word.dropFirst(7)) : word
  }
}

/// What a drafted job is called.
enum DraftNaming {
  static func job(output: String?, else title: String, _ context: CommandContext) -> String {
    let file = output.map(DescriptionFile.last) ?? ""
    let wished = file.hasSuffix(".json5") ? ListWish.hyphened(String(file.dropLast(6))) : ""
    if !wished.isEmpty { return wished }
    let name = ListWish.hyphened(title)
    if name.isEmpty { return "draft" }
    return context.environment.library.names.contains(name) ? "my-\(name)" : name
  }
}
