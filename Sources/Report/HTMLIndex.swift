public import Model

/// `reports/index.html`: the last runs of all jobs with their outcome, each with a link to its page.
public struct HTMLIndex {
  public struct Entry: Sendable {
    public var job: String
    public var run: String
    public var command: String
    public var startedAt: Instant
    public var endedAt: Instant
    /// The outcome in words.
    public var outcome: String
    public var exitCode: Int

    public init(
      job: String, run: String, command: String, startedAt: Instant, endedAt: Instant,
      outcome: String, exitCode: Int
    ) {
      self.job = job
      self.run = run
      self.command = command
      self.startedAt = startedAt
      self.endedAt = endedAt
      self.outcome = outcome
      self.exitCode = exitCode
    }
  }

  private let entries: [Entry]
  /// Lines of the page.
  public static let entriesMax = 200

  /// - Parameter entries: the newest first.
  public init(_ entries: [Entry]) { self.entries = Array(entries.prefix(Self.entriesMax)) }

  public var text: String {
    HTMLPage.text(title: "Trawl: the last runs", body: body)
  }

  private var body: String {
    let rows = entries.map { entry in
      let tone = entry.exitCode == 0 ? "good" : entry.exitCode == 75 ? "wait" : "bad"
      let page = "\(Self.link(entry.job))/\(Self.link(entry.run)).html"
      return "<tr><td><a href=\"\(page)\">\(HTMLText.time(entry.startedAt))</a></td>"
        + "<td>\(HTMLText.foreign(entry.job))</td>"
        + "<td class=\"why\"><span class=\"mark \(tone)\">"
        + "\(HTMLText.foreign(entry.outcome, max: 300))</span>"
        + "<br><span class=\"soft\">\(HTMLText.escaped(entry.command)), "
        + "\(HTMLText.escaped(Self.span(entry))), "
        + "exit \(entry.exitCode)</span></td></tr>"
    }
    return
      "<header><h1>The last runs</h1><p class=\"soft\">Newest first; each leads to its report. "
      + "Green is as declared, amber resumes by itself, red needs a look.</p></header>\n"
      + "<section>\(HTMLPage.table([("began", ""), ("job", ""), ("outcome", "")], rows, kind: "lists"))"
      + "</section>"
  }

  /// The database keeps whole seconds.
  private static func span(_ entry: Entry) -> String {
    let span = entry.endedAt - entry.startedAt
    return span < .seconds(1) ? "a moment" : Wording.span(span)
  }

  /// Names of jobs and runs are plain; whatever else stands there is no link.
  private static func link(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.unicodeScalars.filter { scalar in
          scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-"
              || scalar == "_")
        }))
  }
}
