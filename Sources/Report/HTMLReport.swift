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

  let facts: RunFacts
  let thumbnails: [Thumbnail]

  /// Thumbnails on one sheet, and bytes of all of them together.
  public static let thumbnailsMax = 60
  public static let thumbnailBytesMax = 8 << 20
  /// Lists and sentences on one page; the JSON holds all.
  static let rowsMax = 2_000
  static let storyMax = 500

  public init(_ facts: RunFacts, thumbnails: [Thumbnail] = []) {
    self.facts = facts
    self.thumbnails = thumbnails
  }

  public var text: String {
    HTMLPage.text(
      title: "\(facts.job): \(facts.outcome.sentence)",
      body: [
        head, nextSteps, HTMLPage.section("Lists", units), coverage, requests, quotas, images,
        rejects, list("Changes to the tables", facts.migrations),
        list("Warnings", facts.warnings), story,
      ].filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  private var head: String {
    let counts = facts.counts
    var parts = [
      "\(Wording.number(counts.new)) new", "\(Wording.number(counts.changed)) changed",
      "\(Wording.number(counts.unchanged)) unchanged",
    ]
    if facts.vanished > 0 { parts.append("\(Wording.number(facts.vanished)) gone") }
    if counts.repeated > 0 { parts.append("\(Wording.number(counts.repeated)) repeated") }
    if counts.dropped > 0 { parts.append("\(Wording.number(counts.dropped)) dropped by rule") }
    if counts.rejected > 0 { parts.append("\(Wording.number(counts.rejected)) rejected") }
    return """
      <header>
      <p class="soft">\(HTMLText.foreign(facts.job)) · \(HTMLText.escaped(facts.command)) · \
      \(HTMLText.foreign(facts.origin)) · <time datetime="\(facts.startedAt)">\(facts.startedAt)\
      </time> · \(HTMLText.escaped(Wording.span(facts.duration)))</p>
      <h1 class="\(facts.outcome.tone)">\(HTMLText.foreign(facts.outcome.sentence, max: 500))</h1>
      <p>\(HTMLText.escaped(parts.joined(separator: ", ")))</p>
      </header>
      """
  }

  private var nextSteps: String {
    HTMLPage.section(
      "What to do next",
      facts.nextSteps.map { "<p>\(HTMLText.foreign($0, max: 600))</p>" }.joined())
  }

  private var requests: String {
    let requests = facts.requests
    var lines = [Wording.count(requests.sent, "request") + ", " + Wording.bytes(requests.bytes)]
    if let foretold = facts.forecast?.requests {
      let about = facts.forecast?.isEstimate == true ? "about " : ""
      lines[0] += " (foretold: \(about)\(Wording.number(foretold)))"
    }
    if requests.notModified > 0 {
      lines.append("\(Wording.number(requests.notModified)) answered \"not modified\"")
    }
    for cause in Cause.allCases {
      if let count = requests.retries[cause] {
        lines.append("\(Wording.count(count, "retry", "retries")) because of \(cause.rawValue)")
      }
    }
    if requests.waited > .zero { lines.append("waited \(Wording.span(requests.waited))") }
    return HTMLPage.section(
      "Requests",
      "<p>" + lines.map { HTMLText.escaped($0) }.joined(separator: ", ") + "</p>"
        + (RequestChart(facts: facts).figure ?? ""))
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
    return HTMLPage.section(
      "Quota",
      HTMLPage.table(
        [
          ("bucket", false), ("left before", true), ("left after", true), ("of", true),
          ("more at", false),
        ], rows))
  }

  private var story: String {
    let rest = facts.story.count - Self.storyMax
    let lines = facts.story.prefix(Self.storyMax)
    return list(
      "What happened, in order",
      lines + (rest > 0 ? ["and \(Wording.number(rest)) more: see the JSON report"] : []))
  }

  private func list(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let items = lines.map { "<li>\(HTMLText.foreign($0, max: 600))</li>" }
    return HTMLPage.section(title, "<ul>\(items.joined(separator: "\n"))</ul>")
  }
}

extension RunOutcome {
  /// The class of style for it.
  var tone: String {
    kinds == [.asDeclared] ? "good" : kinds.contains(.paused) && kinds.count == 1 ? "wait" : "bad"
  }
}
