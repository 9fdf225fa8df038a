internal import Base
internal import Crawl
internal import Store
internal import Walk

/// What a plan says about a range of time to fill.
struct FillTexts {
  /// How many incomplete stretches are named.
  static let lessMax = 5

  let plan: RangePlan
  private var survey: RangeSurvey { plan.survey }

  var lines: [String] {
    [asked] + unknown + bite + kept
  }

  private var asked: String {
    guard !plan.holes.isEmpty else {
      return
        "already read\(survey.unprovenInRange.isEmpty ? "" : ", unproven"): nothing is requested"
    }
    var text = Wording.count(plan.holes.count, "hole")
    guard let forecast = plan.forecast else { return text }
    text += ", about \(Wording.count(forecast.windows, "window"))"
    if let records = forecast.records, records > 0 {
      text += ", about \(Wording.number(records)) records"
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
  private var kept: [String] {
    var lines = survey.limited.prefix(Self.lessMax).map { "limited for good: \($0.why)" }
    if survey.limited.count > Self.lessMax {
      lines.append("and \(survey.limited.count - Self.lessMax) more limited for good")
    }
    lines += survey.unavailable.map {
      "\($0.from) to \($0.to) lies further back than the API reaches: a permanent gap"
    }
    lines += survey.outOfReach.prefix(Self.lessMax).map { "a permanent gap: \($0.why)" }
    if let pending = survey.pending {
      lines.append("what is newer than \(pending.from) is not listed yet")
    }
    return lines
  }
}
