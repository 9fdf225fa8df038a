internal import Glibc
internal import Base
internal import Drafting
internal import Jobs

/// A file with an OpenAPI description.
enum DescriptionFile {
  static let bytesMax = 16_000_000

  static func read(_ path: String) throws(ExitReport) -> [UInt8] {
    switch FileText.read(path, bytesMax: bytesMax) {
    case .bytes(let bytes, _, _):
      guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
        throw ExitReport(
          .failed, "\(path) is not JSON",
          "trawl-translate \(path) reads YAML: it translates an Airbyte manifest, and writes an OpenAPI "
            + "description as JSON")
      }
      return bytes
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
}
