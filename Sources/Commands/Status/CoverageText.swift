internal import Base
internal import Crawl
internal import Store

/// The map for people: a bar for each list, and below it what is not covered.
struct CoverageText {
  /// Stretches named below a bar.
  static let namedMax = 4

  let map: CoverageMap
  let isUTF8: Bool
  let columns: Int

  var lines: [ConsoleText] {
    var bar = ConsoleText("    ")
    for kind in map.cells(cells) { bar.append(sign(kind), kind.look.style) }
    bar.append("  \(percent)")
    return [ConsoleText("  \(map.listName)"), bar, scale, legend] + named
  }

  /// Leaves room for the margin and the percentage.
  private var cells: Int { max(24, min(CoverageMap.cellsMost, columns - 15)) }

  private static let legendOrder: [CoverageMap.Kind] = [
    .covered, .unproven, .filling, .missing, .limited, .outOfReach, .pending,
  ]

  private func sign(_ kind: CoverageMap.Kind) -> String {
    isUTF8 ? kind.look.sign : kind.look.plain
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
    let parts = Self.legendOrder.filter { !map.windows($0).isEmpty }
      .map { "\(sign($0)) \($0.look.name)" }
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
        lines.append(ConsoleText("    \(kind.look.name): \(window.from) to \(window.to)\(residue)"))
      }
      if windows.count > Self.namedMax {
        lines.append(ConsoleText("    and \(windows.count - Self.namedMax) more \(kind.look.name)"))
      }
    }
    if let young = map.young {
      lines.append(ConsoleText("    the next run requests from \(young.from) on"))
    }
    if map.reachesBack {
      let kind: CoverageMap.Kind = map.isProvenBack ? .covered : .unproven
      lines.append(
        ConsoleText("    before that: \(kind.look.name), back to the API's own beginning"))
    }
    return lines
  }
}

extension CoverageMap.Kind {
  /// How it is drawn, in UTF-8 and in ASCII, and its name.
  fileprivate var look: (sign: String, plain: String, style: ConsoleText.Style, name: String) {
    switch self {
    case .covered: ("█", "#", .green, "covered")
    case .unproven: ("▓", "+", .plain, "read, unproven")
    case .filling: ("░", "~", .plain, "being filled")
    case .missing: ("·", ".", .plain, "missing")
    case .limited: ("▒", "!", .yellow, "limited")
    case .outOfReach: ("×", "x", .yellow, "out of reach")
    case .pending: ("-", "-", .plain, "not listed yet")
    }
  }
}
