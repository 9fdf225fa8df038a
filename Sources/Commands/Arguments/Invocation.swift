internal import Base

enum Request: Sendable {
  /// Of the program, or of one command.
  case help(CommandName?)
  case version
  case completions(Shell)
  /// trawl(1) or trawl.json5(5) as roff, for the installation; hidden.
  case manualPage(ofFormat: Bool)
  /// Candidates for a completion script; hidden.
  case completeWords([String])
  case command(Invocation)
}

/// A command line, read and checked against the table.
struct Invocation: Sendable {
  let command: CommandName
  /// `verify` of `media verify`.
  let action: String?
  var operands: [String]
  /// `trawl --system`: run as the system's user.
  let isForSystem: Bool
  private(set) var values: [OptionName: [OptionValue]]
  let fallbacks: [OptionName: OptionValue]

  /// Whether the user gave the option, whatever its default.
  func has(_ name: OptionName) -> Bool { values[name] != nil }

  private func value(_ name: OptionName) -> OptionValue? {
    values[name]?.last ?? fallbacks[name]
  }

  func text(_ name: OptionName) -> String? {
    guard case .text(let text) = value(name) else { return nil }
    return text
  }

  /// The same with a folder that the user did not name.
  func with(data folder: String) -> Invocation {
    var invocation = self
    invocation.values[.data] = [.text(folder)]
    return invocation
  }

  /// The values of a repeatable option, in order.
  func texts(_ name: OptionName) -> [String] {
    (values[name] ?? []).compactMap {
      guard case .text(let text) = $0 else { return nil }
      return text
    }
  }

  func duration(_ name: OptionName) -> Duration? {
    guard case .duration(let duration) = value(name) else { return nil }
    return duration
  }

  func count(_ name: OptionName) -> Int? {
    guard case .count(let count) = value(name) else { return nil }
    return count
  }

  func bytes(_ name: OptionName) -> Int64? {
    guard case .bytes(let bytes) = value(name) else { return nil }
    return bytes
  }

  func share(_ name: OptionName) -> (part: Int, of: Int)? {
    guard case .share(let part, let of) = value(name) else { return nil }
    return (part, of)
  }

  /// A local time of day.
  func clock(_ name: OptionName) -> (hour: Int, minute: Int)? {
    guard case .clock(let hour, let minute) = value(name) else { return nil }
    return (hour, minute)
  }

  /// The stretch of a date: `2024-03` is 1 March to 1 April, both at 00:00 UTC.
  func stretch(_ name: OptionName) -> TimeWindow? {
    guard case .date(let stretch) = value(name) else { return nil }
    return stretch
  }

  var settingsByName: [String: [String]] {
    // Names that differ in their bytes alone, as é in two spellings, are one to a dictionary.
    Dictionary(settings.map { ($0.name, $0.values) }) { $0 + $1 }
  }

  /// `--set` by name, in the order in which the names appear; values in order.
  var settings: [(name: String, values: [String])] {
    var list: [(name: String, values: [String])] = []
    for case .setting(let name, let value) in values[.set] ?? [] {
      if let at = list.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        list[at].values.append(value)
      } else {
        list.append((name, [value]))
      }
    }
    return list
  }
}
