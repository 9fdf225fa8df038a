public import Model

/// The same facts as one page that needs nothing else: no script, no outside reference.
public struct HTMLReport {
  /// A thumbnail of the contact sheet, with its bytes.
  public struct Thumbnail: Sendable {
    public var title: String
    public var mediaType: String
    public var bytes: [UInt8]

    public init(title: String, mediaType: String, bytes: [UInt8]) {
      self.title = title
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  private let facts: RunFacts
  private let thumbnails: [Thumbnail]

  /// Thumbnails on one sheet, and bytes of all of them together.
  public static let thumbnailsMax = 60
  public static let thumbnailBytesMax = 8 << 20

  public init(_ facts: RunFacts, thumbnails: [Thumbnail] = []) {
    self.facts = facts
    self.thumbnails = thumbnails
  }

  public var text: String {
    let title = "\(facts.job): \(facts.outcome.sentence)"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <title>\(HTMLText.escaped(title, max: 120))</title>
      <style>
      \(HTMLStyle.text)
      </style>
      </head>
      <body>
      \(head)
      \(nextSteps)
      \(units)
      \(requests)
      \(quotas)
      \(images)
      \(rejects)
      \(list("Changes to the tables", facts.migrations))
      \(list("Warnings", facts.warnings))
      \(list("What happened, in order", Array(facts.story.prefix(500))))
      </body>
      </html>

      """
  }

  private var head: String {
    let counts = facts.counts
    let tone =
      facts.outcome.kinds == [.asDeclared]
      ? "good" : facts.outcome.kinds.contains(.paused) ? "wait" : "bad"
    return """
      <header>
      <p class="soft">\(HTMLText.foreign(facts.job)) · \(HTMLText.escaped(facts.command)) · \
      \(facts.startedAt) · \(HTMLText.escaped(Wording.span(facts.duration)))</p>
      <h1 class="\(tone)">\(HTMLText.foreign(facts.outcome.sentence, max: 500))</h1>
      <p>\(Wording.number(counts.new)) new, \(Wording.number(counts.changed)) changed, \
      \(Wording.number(counts.unchanged)) unchanged\
      \(counts.dropped > 0 ? ", \(Wording.number(counts.dropped)) dropped by rule" : "")\
      \(counts.rejected > 0 ? ", \(Wording.number(counts.rejected)) rejected" : "")</p>
      </header>
      """
  }

  private var nextSteps: String {
    guard !facts.nextSteps.isEmpty else { return "" }
    return "<section><h2>What to do next</h2>"
      + facts.nextSteps.map { "<p>\(HTMLText.foreign($0, max: 600))</p>" }.joined() + "</section>"
  }

  private var units: String {
    guard !facts.units.isEmpty else { return "" }
    let rows = facts.units.prefix(2_000).map(row).joined(separator: "\n")
    return """
      <section><h2>Lists</h2><div class="scroll"><table class="units">
      <thead><tr><th>list</th><th class="number">records</th><th>verdict</th><th>why</th></tr></thead>
      <tbody>
      \(rows)
      </tbody></table></div></section>
      """
  }

  private func row(_ unit: UnitFacts) -> String {
    let certificate = unit.certificate
    let tone =
      unit.isAsDeclared ? "good" : certificate.verdict == .paused ? "wait" : "bad"
    let samples = unit.newSamples.map { HTMLText.foreign($0, max: 80) }.joined(separator: ", ")
    let more = samples.isEmpty ? "" : "<br><span class=\"soft\">new: \(samples)</span>"
    let goesOn = certificate.goesOnAt.map { "<br>goes on at \($0)" } ?? ""
    return "<tr><td>\(HTMLText.foreign(unit.foundBy))</td>"
      + "<td class=\"number\">\(Wording.number(certificate.counts.received))</td>"
      + "<td class=\"\(tone)\">\(certificate.verdict.rawValue)</td>"
      + "<td class=\"why\">\(HTMLText.foreign(certificate.why, max: 500))\(goesOn)\(more)</td></tr>"
  }

  private var requests: String {
    let requests = facts.requests
    var lines = [Wording.count(requests.sent, "request") + ", " + Wording.bytes(requests.bytes)]
    if requests.notModified > 0 {
      lines.append("\(Wording.number(requests.notModified)) answered \"not modified\"")
    }
    for cause in Cause.allCases {
      if let count = requests.retries[cause] {
        lines.append("\(Wording.count(count, "retry", "retries")) because of \(cause.rawValue)")
      }
    }
    if requests.waited > .zero { lines.append("waited \(Wording.span(requests.waited))") }
    return "<section><h2>Requests</h2><p>"
      + lines.map { HTMLText.escaped($0) }.joined(separator: ", ") + "</p>"
      + (RequestChart(facts: facts).svg ?? "") + "</section>"
  }

  private var quotas: String {
    guard !facts.quotas.isEmpty else { return "" }
    let rows = facts.quotas.map { quota in
      "<tr><td>\(HTMLText.foreign(quota.bucket))</td>"
        + "<td class=\"number\">\(Wording.number(quota.leftBefore))</td>"
        + "<td class=\"number\">\(Wording.number(quota.leftAfter))</td>"
        + "<td class=\"number\">\(Wording.number(quota.allowed))</td>"
        + "<td>\(quota.resetsAt?.description ?? "")</td></tr>"
    }
    return "<section><h2>Quota</h2><div class=\"scroll\"><table><thead><tr><th>bucket</th>"
      + "<th class=\"number\">before</th><th class=\"number\">after</th>"
      + "<th class=\"number\">of</th><th>more at</th></tr></thead><tbody>"
      + rows.joined() + "</tbody></table></div></section>"
  }

  private var images: String {
    let tally = facts.images
    guard tally.requests > 0 || !thumbnails.isEmpty else { return "" }
    var line =
      "\(Wording.number(tally.fromNetwork)) fetched, \(Wording.bytes(tally.bytes)); "
      + "\(Wording.number(tally.refusedCount)) refused"
    if let reason = tally.stoppedBecause { line += "; \(reason)" }
    let sheet = thumbnails.prefix(Self.thumbnailsMax).map { image in
      "<li><figure><img alt=\"\(HTMLText.escaped(image.title, max: 120))\" "
        + "src=\"data:\(HTMLText.escaped(image.mediaType, max: 40));base64,"
        + "\(Base64.encoded(image.bytes))\">"
        + "<figcaption>\(HTMLText.foreign(image.title, max: 120))</figcaption></figure></li>"
    }
    return "<section><h2>Images</h2><p>\(HTMLText.escaped(line))</p>"
      + (sheet.isEmpty ? "" : "<ul class=\"sheet\">\(sheet.joined())</ul>") + "</section>"
  }

  private var rejects: String {
    guard !facts.rejects.isEmpty else { return "" }
    let rows = facts.rejects.map { reject in
      "<tr><td>\(HTMLText.foreign(reject.table))</td><td>\(HTMLText.foreign(reject.path))</td>"
        + "<td>\(HTMLText.foreign(reject.reason))</td>"
        + "<td><code>\(HTMLText.foreign(reject.raw))</code></td></tr>"
    }
    return "<section><h2>Rejected, and kept in trawl_rejects</h2><div class=\"scroll\"><table>"
      + "<thead><tr><th>table</th><th>path</th><th>reason</th><th>what came</th></tr></thead>"
      + "<tbody>\(rows.joined())</tbody></table></div></section>"
  }

  private func list(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    return "<section><h2>\(HTMLText.escaped(title))</h2><ul>"
      + lines.map { "<li>\(HTMLText.foreign($0, max: 600))</li>" }.joined() + "</ul></section>"
  }
}
