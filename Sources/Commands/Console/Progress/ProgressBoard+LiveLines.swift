internal import Base

extension ProgressBoard {
  /// The live block: a line for each running unit and for each job's images, as wide as the terminal allows. Fields
  /// keep their places between updates.
  func block(at now: Instant, columns: Int, rows: Int) -> [ConsoleText] {
    guard detail != .quiet else { return [] }
    let width = max(columns - 1, 10)
    let pictures = images.filter { $0.tally.wanted > 0 }
    // Part of the screen stays free for earlier lines.
    let room = max(1, rows - 2 - pictures.count)
    var lines = units.prefix(room).map { line($0, at: now, width: width) }
    if units.count > room {
      lines[room - 1] = ConsoleText("  and \(Wording.number(units.count - room + 1)) more", .dim)
    }
    let isSeveral = Set(images.map(\.job)).count > 1
    lines += pictures.prefix(max(0, rows - 2)).map { picture in
      let name = isSeveral ? "\(picture.job) images" : "images"
      return imageLine(name, picture, width: width)
    }
    return lines
  }

  private func line(_ unit: UnitProgress, at now: Instant, width: Int) -> ConsoleText {
    let nameWidth = min(max(width * 3 / 10, 12), 32)
    var text = ConsoleText("  " + DisplayWidth.fitted(unit.label.listName, to: nameWidth - 2))
    if let wait = unit.wait {
      var words = words(for: wait, now)
      if DisplayWidth.of(words) + nameWidth + 2 > width {
        // The most important part must not be cut off.
        words = self.words(for: wait, now, isInstantFirst: true)
      }
      text += ConsoleText("  " + words, .yellow)
      return text.truncated(to: width)
    }
    var left = width - nameWidth
    // In order of importance: fields without room are left out.
    for field in fields(of: unit, isNarrow: width < 60) where field.width + 1 <= left {
      text.append(" " + DisplayWidth.fitted(field.text, to: field.width, isRight: true))
      left -= field.width + 1
    }
    return text.truncated(to: width)
  }

  private func fields(of unit: UnitProgress, isNarrow: Bool) -> [(text: String, width: Int)] {
    var fields: [(text: String, width: Int)] = []
    let pages = unit.expectedPages.map { max($0, unit.ordinal) }
    if isNarrow {
      fields.append((pages.map { "\(unit.ordinal)/\($0)" } ?? "p. \(unit.ordinal)", 10))
    } else {
      let all = pages.map { " of \(Wording.number($0))" } ?? ""
      fields.append(("page \(Wording.number(unit.ordinal))\(all)", 20))
    }
    fields.append((Wording.number(unit.counts.received), 9))
    fields.append((unit.percent.map { "\($0) %" } ?? "", 5))
    fields.append((unit.recordsPerSecond.map { Self.speed($0) } ?? "", 11))
    fields.append((unit.timeLeft.map { Self.span($0) + " left" } ?? "", 17))
    fields.append((Wording.bytes(unit.bytes), 10))
    return fields
  }

  private static func speed(_ perSecond: Double) -> String {
    perSecond >= 10 || perSecond == 0
      ? "\(Wording.number(Int(min(perSecond, 1e12))))/s"
      : "\(Wording.number(Int(perSecond * 60)))/min"
  }

  private func imageLine(_ name: String, _ images: ImageProgress, width: Int) -> ConsoleText {
    let nameWidth = min(max(width * 3 / 10, 12), 32)
    let tally = images.tally
    var text = "  " + DisplayWidth.fitted(name, to: nameWidth - 2) + " "
    text += "\(Wording.number(images.done)) of \(Wording.number(tally.wanted))"
    if let speed = images.perSecond { text += "  \(Self.speed(speed))" }
    if let left = images.timeLeft { text += "  \(Self.span(left)) left" }
    text += "  \(Wording.bytes(tally.bytes))"
    if tally.refusedCount > 0 { text += "  \(Wording.number(tally.refusedCount)) refused" }
    return ConsoleText(text).truncated(to: width)
  }
}
