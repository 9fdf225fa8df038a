internal import Base
internal import Crawl
internal import Store
internal import Walk

/// The result of a look at a stream.
struct Look: Sendable {
  var stream: Stream
  var listName: String
  /// Nil: nothing was requested.
  var address: String?
  var status: Int?
  var bytes = 0
  var counts = Counts()
  /// Answers that are pages of the list.
  var pages = 0
  /// What one page shows of the list; nil: nothing was requested.
  var verdict: Verdict?
  /// Why there is less than a page, if so.
  var note: String?
  var sample: StoredSample?
  var rejects: [RejectSample] = []
  var unmapped: [UnmappedFields.Field] = []
  var signs: [UnreadSign] = []
  /// Mistakes in the job file that its records show.
  var slips: [String] = []
  /// One of them, which loses records.
  var clash: String?
  /// As the API sent them.
  var records: [JSONValue] = []
  /// What its rules were read from; nil: no page came.
  var taken: TakenSigns?
  /// What ends the list with page 1, and may not.
  var endSign: EndSign?

  static let notRequested = "was not requested"

  /// Rows and rejects to read back; an answer rarely has more.
  static let rowsMax = 1_000

  /// What precedes their number: there may be more than were read back.
  static func least(_ count: Int) -> String { count < rowsMax ? "" : "at least " }

  /// Reads back what a run in a scratch folder stored of a stream.
  static func back(
    _ stream: Stream, of job: Job, _ facts: RunFacts, _ exchange: WatchedExchange,
    _ store: RecordStore
  ) async throws -> Look {
    let units = facts.units.filter { $0.stream.utf8.elementsEqual(stream.name.utf8) }
    // An empty list shows no slip.
    let unit = units.first { $0.certificate.counts.received > 0 } ?? units.first
    var look = Look(stream: stream, listName: unit?.listName ?? stream.name)
    guard let unit else { return look }
    look.counts = unit.certificate.counts
    look.pages = unit.certificate.pages
    look.verdict = unit.certificate.verdict
    switch unit.certificate.verdict {
    case .limited where unit.certificate.cause == .outOfReach, .failed, .absent, .incomplete:
      look.note = unit.certificate.why
    case .paused where unit.certificate.pages == 0: look.note = unit.certificate.why
    case .paused, .complete, .unproven, .limited: break
    }
    if let pages = unit.forecast?.requests, pages > CrawlOptions.listPages {
      look.note =
        "it announces \(Wording.number(pages)) pages, and one run requests "
        + "\(Wording.number(CrawlOptions.listPages)) of a list"
    }
    look.sample = try await store.sample(of: stream.name, in: facts.job, limit: rowsMax)
    look.rejects = try await store.rejects(of: stream.name, in: facts.job, limit: rowsMax)
    if let answer = exchange.answer(of: UnitLabel(stream: stream.name, listName: unit.listName)) {
      look.address = answer.address.description
      look.status = answer.status
      look.bytes = answer.bodyBytes
      let body = AnswerBody(answer, isFeed: stream.readsFeed)
      if case .page(let page) = PageReader(job: job, stream: stream).read(answer, body) {
        look.records = page.records
        look.signs = page.signs.filter { !stream.reads($0) }
        look.taken = TakenSigns(job: job, stream: stream, page, answer)
        look.endSign = EndSign(stream, page)
        let slips = JobSlips(stream, page, look.counts)
        (look.clash, look.slips) = (slips.clash, slips.sentences)
        look.unmapped = UnmappedFields(of: page.records, stream: stream).fields
      }
    }
    return look
  }

  var json: JSONObject {
    [
      "stream": stream.name, "list": listName, "request": address, "status": status,
      "received": counts.received, "dropped": counts.dropped, "rejected": counts.rejected,
      "note": note, "slips": [clash].compactMap(\.self) + slips, "table": sample?.table,
      "rows": (sample?.rows ?? []).map { row in
        JSONObject(zip(sample?.columns ?? [], row).map { ($0, $1) })
      },
      "rejects": rejects.map { reject -> JSONObject in
        ["path": reject.path, "reason": reject.reason, "raw": reject.raw]
      },
      "unmapped": unmapped.map { field -> JSONObject in
        ["path": field.path, "example": field.example]
      },
      "taken": (taken?.lines ?? []).map { line -> JSONObject in
        ["rule": line.rule, "at": line.place, "value": line.value]
      },
      "page_2": taken?.secondPage,
      "unread": signs.map { sign -> JSONObject in
        ["at": sign.place, "says": sign.kind.rawValue, "value": sign.value]
      },
    ]
  }
}
