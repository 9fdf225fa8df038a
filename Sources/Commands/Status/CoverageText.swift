internal import Base
internal import Crawl
internal import Store

/// The map for people: a bar for each list, and below it what is not covered.
struct CoverageText {
  /// Stretches named below a bar.
  static let namedMax = 4

  let map: CoverageMap
  let isUTF8: Bool
  var columns = 80

  var lines: [ConsoleText] {
    var bar = ConsoleText("    ")
    for kind in map.cells(cells) { bar.append(sign(kind), Self.style(kind)) }
    bar.append("  \(percent)")
    return [ConsoleText("  \(map.listName)"), bar, scale, legend] + named
  }

  /// Leaves room for the margin and the percentage.
  private var cells: Int { max(24, min(CoverageMap.cellsMost, columns - 15)) }

  /// How each kind is drawn, in UTF-8 and in ASCII, and its name; in the legend's order.
  private static let looks:
    KeyValuePairs<CoverageMap.Kind, (sign: String, plain: String, name: String)> = [
      .covered: ("█", "#", "covered"), .unproven: ("▓", "+", "read, unproven"),
      .filling: ("░", "~", "being filled"), .missing: ("·", ".", "missing"),
      .limited: ("▒", "!", "limited"), .outOfReach: ("×", "x", "out of reach"),
      .pending: ("-", "-", "not listed yet"),
    ]

  private func sign(_ kind: CoverageMap.Kind) -> String {
    Self.looks.first { $0.key == kind }.map { isUTF8 ? $0.value.sign : $0.value.plain } ?? ""
  }

  private static func name(_ kind: CoverageMap.Kind) -> String {
    looks.first { $0.key == kind }?.value.name ?? ""
  }

  private static func style(_ kind: CoverageMap.Kind) -> ConsoleText.Style {
    switch kind {
    case .covered: .green
    case .limited, .outOfReach: .yellow
    case .unproven, .missing, .filling, .pending: .plain
    }
  }

  /// Never rounded up to 100 %: time since the last run is not drawn.
  private var percent: String {
    map.share < 1 && map.share > 0.99 ? "over 99 %" : "\(Int(map.share * 100)) %"
  }

  /// The first and the last day, below the bar.
  private var scale: ConsoleText {
    let from = map.range.from.day
    let to = map.range.to.day
    let between = cells - from.count - to.count
    let blanks = String(repeating: " ", count: max(1, between))
    return ConsoleText("    \(from)\(blanks)\(to)", .dim)
  }

  /// Only the kinds in the bar.
  private var legend: ConsoleText {
    let parts = Self.looks.map(\.key).filter { !map.windows($0).isEmpty }
      .map { "\(sign($0)) \(Self.name($0))" }
    return ConsoleText("    \(parts.joined(separator: "   "))", .dim)
  }

  /// The first few stretches of each uncovered kind.
  private var named: [ConsoleText] {
    var lines: [ConsoleText] = []
    for kind in [CoverageMap.Kind.filling, .missing, .limited, .outOfReach] {
      let windows = map.windows(kind).sorted { $0.from > $1.from }
      for window in windows.prefix(Self.namedMax) {
        let residue =
          kind == .limited
          ? map.survey.limited.first { $0.window == window }?.residue.map {
            ", \(Wording.count($0, "record")) beyond the API's limit"
          } ?? "" : ""
        lines.append(
          ConsoleText("    \(Self.name(kind)): \(window.from) to \(window.to)\(residue)"))
      }
      if windows.count > Self.namedMax {
        lines.append(
          ConsoleText("    and \(windows.count - Self.namedMax) more \(Self.name(kind))"))
      }
    }
    if let young = map.young {
      lines.append(ConsoleText("    the next run requests from \(young.from) on"))
    }
    if map.reachesBack {
      lines.append(ConsoleText("    before that: covered, back to the API's own beginning"))
    }
    return lines
  }
}
