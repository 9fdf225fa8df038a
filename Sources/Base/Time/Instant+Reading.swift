extension Instant {
  /// Reads `2026-11-21T14:12:07Z`, `2026-11-21T23:12:07.5+09:00`: a date with its time and zone.
  public init?(rfc3339 text: String) {
    var text = text
    guard let moment = text.withUTF8({ TimeReader.moment($0) }), moment.hasTime,
      let offset = moment.offsetMinutes, let instant = moment.civil.instant
    else { return nil }
    self = instant - .seconds(offset * 60)
  }
}
