internal import Base

/// The base of a manifest's streams: one origin, and the prefix that their paths share.
struct ManifestBase {
  private(set) var base = ""
  /// Placeholder values that the user must replace.
  private(set) var placeholders: [String] = []
  private(set) var origin = ""
  private var shared: [String] = []
  /// Each address in fixed form: its host has only placeholders that a base may have.
  private var fixed: [String: String] = [:]

  init(_ streams: [ManifestStream], _ settings: ManifestSettings) {
    for stream in streams where fixed[stream.address] == nil {
      fixed[stream.address] = repaired(stream.address, settings)
    }
    var counts: [(origin: String, count: Int)] = []
    for stream in streams {
      let origin = Self.parts(fixed[stream.address] ?? "").origin
      if let at = counts.firstIndex(where: { $0.origin == origin }) {
        counts[at].count += 1
      } else {
        counts.append((origin, 1))
      }
    }
    origin = counts.max { $0.count < $1.count }?.origin ?? ""
    let paths = streams.filter { isHere($0) }.map { Self.parts(fixed[$0.address] ?? "").segments }
    shared = paths.first.map { Array($0.dropLast()) } ?? []
    for path in paths {
      let common = zip(shared, path.dropLast()).prefix { $0 == $1 && !$0.holds("{") }
      shared = common.map(\.0)
    }
    shared = Array(shared.prefix { !$0.holds("{") && !$0.isEmpty })
    base = origin + shared.map { "/\($0)" }.joined()
  }

  /// An address whose host has only placeholders that a base may have, and whether a part of it is made up.
  static func fixed(_ address: String, _ settings: ManifestSettings) -> (String, isMadeUp: Bool) {
    var base = ManifestBase([], settings)
    let address = base.repaired(address, settings)
    return (address, !base.placeholders.isEmpty)
  }

  func isHere(_ stream: ManifestStream) -> Bool {
    Self.parts(fixed[stream.address] ?? "").origin == origin
  }

  func path(_ stream: ManifestStream) -> String {
    let segments = Self.parts(fixed[stream.address] ?? "").segments.dropFirst(shared.count)
    return "/" + segments.map(Self.sayable).joined(separator: "/")
  }

  /// Percent-encodes characters that a path cannot have.
  private static func sayable(_ segment: String) -> String {
    segment.map { character in
      character.isASCII && !" \\#?\"<>^`|".contains(character)
        ? String(character)
        : String(character).utf8.map { byte in
          let digits = String(byte, radix: 16, uppercase: true)
          return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }.joined()
  }

  private static func parts(_ address: String) -> (origin: String, segments: [String]) {
    let pieces = address.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count >= 3 else { return (address, [""]) }
    let segments = Array(pieces.dropFirst(3))
    return (pieces.prefix(3).joined(separator: "/"), segments.isEmpty ? [""] : segments)
  }

  // MARK: holes of the host

  private mutating func repaired(_ address: String, _ settings: ManifestSettings) -> String {
    var address = address
    if !address.hasPrefix("http://"), !address.hasPrefix("https://") {
      // The user supplies the whole prefix.
      guard address.hasPrefix("{"), let end = address.firstIndex(of: "}") else {
        note("https://api.example.com")
        return "https://api.example.com/" + address
      }
      let name = String(address[address.index(after: address.startIndex)..<end])
      var value = settings.example(ofParameter: name)
      if !value.hasPrefix("http") {
        value = "https://" + (value.holds(".") ? value : "api.example.com")
      }
      while value.hasSuffix("/") { value.removeLast() }
      note(value)
      address = value + String(address[address.index(after: end)...])
    }
    var pieces = address.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count >= 3, pieces[2].holds("{") else { return address }
    pieces[2] = host(pieces[2], settings)
    return pieces.joined(separator: "/")
  }

  private mutating func host(_ host: String, _ settings: ManifestSettings) -> String {
    var labels = host.split(separator: ".").map(String.init)
    for (at, label) in labels.enumerated() where label.holds("{") {
      let isWhole =
        label.hasPrefix("{") && label.hasSuffix("}") && label.filter { $0 == "{" }.count == 1
      if isWhole, labels.count >= 3, at < labels.count - 2 { continue }
      labels[at] = filled(label, settings, isHost: labels.count == 1)
      note(labels[at])
    }
    return labels.joined(separator: ".")
  }

  private func filled(_ label: String, _ settings: ManifestSettings, isHost: Bool) -> String {
    var text = ""
    var rest = label[...]
    while let open = rest.firstIndex(of: "{"), let end = rest.firstIndex(of: "}"), open < end {
      text += rest[..<open]
      let name = String(rest[rest.index(after: open)..<end])
      var value = settings.example(ofParameter: name)
      for prefix in ["https://", "http://"] where value.hasPrefix(prefix) {
        value = String(value.dropFirst(prefix.utf8.count))
      }
      value = String(value.prefix { $0 != "/" })
      let isSound =
        !value.isEmpty
        && value.utf8.allSatisfy {
          (48...57).contains($0) || (97...122).contains($0 | 32) || $0 == 45 || $0 == 46
        }
      text +=
        isSound && (!isHost || value.holds(".")) ? value : isHost ? "api.example.com" : "example"
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }

  private mutating func note(_ value: String) {
    if !placeholders.contains(value) { placeholders.append(value) }
  }
}
