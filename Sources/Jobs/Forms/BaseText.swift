internal import Base

/// An API's address with holes for whole labels of its host and whole parts of its path, so that no value leads to
/// another host.
enum BaseText {
  static func problem(_ text: String) -> String? {
    if let problem = TemplateText.problem(text) { return problem }
    guard let plain = Template(text)?.filled({ _ in "x" }) else { return nil }
    if let problem = plainProblem(plain, text) { return problem }
    guard text.utf8.contains(UInt8(ascii: "{")) else { return nil }
    let parts = parts(text)
    for part in parts.labels + parts.segments where part.utf8.contains(UInt8(ascii: "{")) {
      let isWhole =
        part.hasPrefix("{")
        && part.utf8.firstIndex(of: UInt8(ascii: "}")).map {
          $0 == part.utf8.index(before: part.utf8.endIndex)
        } ?? false
      if !isWhole {
        return "a hole of a base is a whole label of its host, or a whole part of its path:"
          + " https://{shop}.example.com"
      }
    }
    let isFixed = parts.labels.suffix(2).allSatisfy { !$0.utf8.contains(UInt8(ascii: "{")) }
    if parts.labels.contains(where: { $0.hasPrefix("{") }), parts.labels.count < 3 || !isFixed {
      return "the last two labels of the host must be in the file: https://{shop}.example.com"
    }
    return nil
  }

  private static func plainProblem(_ plain: String, _ text: String) -> String? {
    do {
      let address = try WebAddress(plain)
      if address.query != nil {
        return "a base has no query; parameters belong under query of a stream"
      }
      if text.utf8.contains(UInt8(ascii: "#")) { return "a base has no '#'" }
      return nil
    } catch {
      return switch error {
      case .scheme(let scheme): "a base begins with https:// or http://, not with \(scheme):"
      case .credentials: "a base holds no user name or password; declare a secret under auth"
      default: "\"\(text.shown)\" is not an http(s) URL, such as https://api.example.com/v1"
      }
    }
  }

  static func hasHoles(_ text: String) -> Bool { Template(text)?.holes.isEmpty == false }

  /// The labels of the host, without port, and the parts of the path.
  private static func parts(_ text: String) -> (labels: [String], segments: [String]) {
    let rest = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst().map(
      String.init)
    let host = rest.first?.split(separator: ":").first ?? ""
    return (host.split(separator: ".").map(String.init), Array(rest.dropFirst()))
  }

  /// Fills the holes with values; throws what is wrong with one of them.
  static func filled(
    _ text: String, _ value: (String) -> String?
  ) throws(Problem) -> WebAddress {
    let labels = parts(text).labels
    var problem: Problem?
    let filled = Template(text)?.filled { name in
      guard let given = value(name) else { return nil }
      guard labels.contains("{\(name)}") else { return PercentEncoding.encodedSegment(given) }
      let isLabel =
        (1...63).contains(given.utf8.count) && !given.hasPrefix("-") && !given.hasSuffix("-")
        && given.utf8.allSatisfy {
          (48...57).contains($0) || (97...122).contains($0 | 32) || $0 == UInt8(ascii: "-")
        }
      if !isLabel {
        problem = Problem(
          sentence:
            "\(name): \"\(given.shown)\" cannot be a part of a host: letters, digits and '-'")
      }
      return given
    }
    if let problem { throw problem }
    // An invalid address is reported below.
    guard let filled, let address = try? WebAddress(filled),
      !address.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
    else { throw Problem(sentence: "no address can be made of \(text)") }
    return address
  }

  struct Problem: Error { let sentence: String }
}
