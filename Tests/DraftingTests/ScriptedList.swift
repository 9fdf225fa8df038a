import Base
import Drafting
import Jobs
import Testing

/// A list that a function answers, and what a drafter makes of it.
struct ScriptedList {
  struct Drafted {
    var draft: DraftText
    /// The same draft in short form.
    var short: String
    var job: Job
    var asked: [String]
    /// The members of bodies that were asked for as texts.
    var texts: [String]
    /// Why it may be only one page of a longer list.
    var lack: String?
    /// Why it may not read the list that is meant.
    var doubts: [String]

    var stream: Base.Stream { job.streams[0] }
    /// Its words, with comments unwrapped.
    var words: String {
      draft.text.split { " \n".contains($0) }.filter { $0 != "//" }.joined(separator: " ")
    }
  }

  struct Reply {
    var status = 200
    var fields: [(String, String)] = []
    var body: String
  }

  /// The records of one page of a list of `count`, and where the next page begins.
  struct Slice {
    var records: String
    var next: Int?
    /// The next place as a text, or null.
    var token: String { next.map { "\"\($0)\"" } ?? "null" }

    init(_ from: Int, _ size: Int, of count: Int) {
      let from = max(0, from)
      let end = min(count, from + size)
      records = ScriptedList.records(from..<max(from, end))
      next = end < count ? end : nil
    }

    /// From the place that a request names. `usual`: the size where the request, or `size`, names none.
    init(
      _ query: [String: String], at place: String, size: String? = "limit", usual: Int = 5,
      most: Int = .max, of count: Int = 23
    ) {
      let asked = size.flatMap { Int(query[$0] ?? "") } ?? usual
      self.init(Int(query[place] ?? "") ?? 0, min(asked, most), of: count)
    }

    /// The page whose number a request names.
    init(
      _ query: [String: String], page: String = "page", from first: Int = 1,
      size: String = "limit", usual: Int = 5, most: Int = .max, of count: Int = 23
    ) {
      let size = min(Int(query[size] ?? "") ?? usual, most)
      let page = Int(query[page] ?? "") ?? first
      self.init((page - first) * size, size, of: count)
    }

    /// A field `Link` to the next place, if there is one.
    func link(_ address: String) -> [(String, String)] {
      next.map { [("Link", "<\(address)\($0)>; rel=\"next\"")] } ?? []
    }
  }

  var url: String
  var headers: [HeaderField] = []
  var place: Credential.Place?
  /// Set for POST; `answer` gets its scalars by their paths.
  var body: String?
  var answer: ([String: String]) -> Reply

  /// Answers all of the drafter's requests.
  func drafted() throws -> Drafted {
    var drafter = Drafter(
      Subject(
        try WebAddress(url), fields: headers, jobName: "mine", place: place, secretName: "mine-key",
        date: "2026-01-02",
        body: try body.map { BodyValue(json: try JSONDocument.read(Array($0.utf8)).root) }))
    var (asked, texts): ([String], [String]) = ([], [])
    while let question = drafter.next() {
      asked.append(question.address.description)
      texts += question.text.map { [$0] } ?? []
      _ = try drafter.hear(reply(to: question.address))
    }
    #expect(asked.count <= Drafter.requestsMax)
    let draft = try drafter.draft()
    let job: Job
    do { job = try JobFile.read(Array(draft.text.utf8), file: "mine.json5") } catch {
      Issue.record("\(error)\n\(draft.text)")
      throw error
    }
    return Drafted(
      draft: draft, short: try drafter.draft(isShort: true).text, job: job, asked: asked,
      texts: texts, lack: drafter.lack, doubts: drafter.doubts)
  }

  private func reply(to address: WebAddress) -> Answer {
    let pairs = Subject.parameters(of: address).map { ($0.name, $0.value) }
    let reply = answer(Dictionary(pairs) { first, _ in first })
    let fields = [("Content-Type", "application/json")] + reply.fields
    return Answer(
      status: reply.status, fields: HeaderFields(fields.map { HeaderField($0.0, $0.1) }),
      body: Array(reply.body.utf8), address: address, sentAt: Instant(seconds: 1_800_000_000),
      receivedAt: Instant(seconds: 1_800_000_000))
  }

  /// `{ "id": 7, "name": "n7" }`, …
  static func records(_ numbers: some Sequence<Int>) -> String {
    "[" + numbers.map { "{\"id\": \($0), \"name\": \"n\($0)\"}" }.joined(separator: ", ") + "]"
  }
}
