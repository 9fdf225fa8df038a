internal import Base
internal import Crawl
internal import Store
internal import Walk

/// What a plan says about a range of time to fill.
struct FillTexts {
  /// How many incomplete stretches are named.
  private static let lessMax = 5

  let plan: RangePlan
  private var survey: RangeSurvey { plan.survey }

  var lines: [String] {
    [asked] + unknown + bite + kept
  }

  private var asked: String {
    guard !plan.holes.isEmpty else {
      guard survey.isReadInPart else { return "nothing of it can be requested" }
      return
        "already read\(survey.unprovenInRange.isEmpty ? "" : ", unproven"): nothing is requested"
    }
    var text = Wording.count(plan.holes.count, "hole")
    guard let forecast = plan.forecast else { return text }
    text += ", about \(Wording.count(forecast.windows, "window"))"
    if let records = forecast.records, records > 0 {
      text += ", about \(Wording.count(records, "record"))"
    }
    return text
  }

  private var unknown: [String] {
    guard plan.forecast == nil else { return [] }
    return survey.stream.total?.trust == .counted
      ? ["the first request shows how many records it holds"]
      : ["the first windows will show how many records it holds"]
  }

  /// The cap that applies, and how it is avoided.
  private var bite: [String] {
    guard !plan.holes.isEmpty, let cap = survey.stream.cap, cap.expected == nil else { return [] }
    return [
      "the API gives \(Wording.number(cap.at)) records of one list: windows with more are halved"
    ]
  }

  /// What no request can bring.
  var kept: [String] {
    var lines = Self.some(survey.limited, "limited for good")
    lines += survey.unavailable.map {
      "\($0.from) to \($0.to) lies further back than the API reaches: a permanent gap"
    }
    lines += Self.some(survey.outOfReach, "a permanent gap")
    if let pending = survey.pending {
      lines.append("what is newer than \(pending.from) is not listed yet")
    }
    return lines
  }

  /// The first few; the others are counted.
  private static func some(_ windows: [SettledWindow], _ what: String) -> [String] {
    // cut: the last line says how many more
    let more = windows.count > lessMax ? ["\(what): and \(windows.count - lessMax) more"] : []
    return windows.prefix(lessMax).map { "\(what): \($0.why)" } + more
  }
}
