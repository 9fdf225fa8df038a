internal import Base
internal import Crawl
internal import Store

/// The map as JSON: half-open intervals, all of them, in UTC.
enum CoverageJSON {
  static func write(_ map: CoverageMap, to out: inout JSONWriter) {
    out.member("from", map.range.from.description)
    out.member("to", map.range.to.description)
    out.member("reaches_back", map.reachesBack)
    out.member("share", map.share)
    windows("covered", map.windows(.covered), to: &out)
    windows("unproven", map.windows(.unproven), to: &out)
    windows("missing", map.missing, to: &out)
    windows("being_filled", map.windows(.filling), to: &out)
    windows("not_listed_yet", map.windows(.pending), to: &out)
    for (name, stretches) in [
      ("limited", map.survey.limited), ("out_of_reach", map.survey.outOfReach),
    ] {
      out.array(name) { out in
        for stretch in stretches {
          out.object { out in
            out.member("from", stretch.window.from.description)
            out.member("to", stretch.window.to.description)
            out.member("residue", stretch.residue)
            out.member("why", stretch.why)
          }
        }
      }
    }
    guard let fill = map.fill else { return }
    out.object("backfill") { out in
      out.member("from", fill.range.from.description)
      out.member("to", fill.range.to.description)
      out.member("began_at", fill.beganAt.description)
      out.member("ended_at", fill.endedAt?.description)
      out.member("requests", fill.requests)
      out.member("days", fill.days)
      out.member("forecast_requests", fill.forecast)
      out.member("forecast_records", fill.forecastRecords)
      out.member("forecast_days", fill.forecastDays)
      out.member("forecast_at", fill.forecastAt?.description)
    }
  }

  static func write(_ window: TimeWindow, to out: inout JSONWriter) {
    out.object { out in
      out.member("from", window.from.description)
      out.member("to", window.to.description)
    }
  }

  private static func windows(
    _ name: String, _ windows: [TimeWindow], to out: inout JSONWriter
  ) {
    out.array(name) { out in
      for window in windows { write(window, to: &out) }
    }
  }
}
