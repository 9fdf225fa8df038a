internal import Base
internal import Crawl
internal import Store

/// The map as JSON: half-open intervals, all of them, in UTC.
enum CoverageJSON {
  static func object(_ map: CoverageMap) -> JSONObject {
    var object: JSONObject = [
      "from": map.range.from.description, "to": map.range.to.description,
      "reaches_back": map.reachesBack, "share": map.share,
      "covered": map.windows(.covered).map(window),
      "unproven": map.windows(.unproven).map(window), "missing": map.missing.map(window),
      "being_filled": map.windows(.filling).map(window),
      "not_listed_yet": map.windows(.pending).map(window),
      "limited": map.survey.limited.map(settled),
      "out_of_reach": map.survey.outOfReach.map(settled),
    ]
    if let fill = map.fill { object.members.append(("backfill", self.fill(fill))) }
    return object
  }

  static func window(_ window: TimeWindow) -> JSONObject {
    ["from": window.from.description, "to": window.to.description]
  }

  private static func settled(_ stretch: SettledWindow) -> JSONObject {
    [
      "from": stretch.window.from.description, "to": stretch.window.to.description,
      "residue": stretch.residue, "why": stretch.why,
    ]
  }

  private static func fill(_ fill: FillRecord) -> JSONObject {
    [
      "from": fill.range.from.description, "to": fill.range.to.description,
      "began_at": fill.beganAt.description, "ended_at": fill.endedAt?.description,
      "requests": fill.requests, "days": fill.days, "forecast_requests": fill.forecast,
      "forecast_records": fill.forecastRecords, "forecast_days": fill.forecastDays,
      "forecast_at": fill.forecastAt?.description,
    ]
  }
}
