internal import Base
internal import Crawl
internal import Drafting
internal import Jobs
internal import Walk

/// The first two requests of a draft itself, compared with what was seen: a draft that reads anything else, or page 1
/// twice, is worthless.
struct DraftTrial: Sendable {
  let requests: DraftRequests
  let requester: Requester
  let quotas: JobQuotas

  /// The most requests that it sends.
  static let requestsMax = 2

  private var console: Console { requests.context.console }

  /// Nil: no objection to the draft.
  func doubt(of drafter: Drafter) async -> String? {
    let job: Job
    let step: Step
    let builder: StepBuilder
    do {
      let text = try drafter.draft().text
      job = try JobFile.read(Array(text.utf8), file: "\(requests.wish.jobName).json5")
      builder = try StepBuilder(
        job: job, stream: job.streams[0], unit: Unit(stream: job.streams[0].name))
      step = try builder.step(.page, ordinal: 1, at: builder.first)
    } catch {
      // The draft's own check reports an invalid job file.
      return nil
    }
    let stream = job.streams[0]
    let reader = PageReader(job: job, stream: stream)
    let fields = job.fields + stream.fields
    guard let first = await answer(step, fields, "the draft's own page 1") else { return nil }
    let page: Page
    do { page = try content(of: first, 1, reader, stream) } catch { return "\(error)" }
    let count = page.records.count
    guard count >= drafter.recordsOfPageOne else {
      return "page 1 as drafted has \(Wording.count(count, "record")), and the first answer had"
        + " \(drafter.recordsOfPageOne)"
    }
    // All counted records came: there is no page 2.
    if let total = page.total, total <= count { return nil }
    let isMoreDue = stream.pager != .single && drafter.hasMore(than: count)
    guard page.more != false, let cursor = Self.second(stream, page),
      // Without a cursor or a step there is no page 2 to request.
      let behind = try? builder.step(.page, ordinal: 2, at: cursor),
      let second = await answer(behind, fields, Self.purpose(step.body, behind.body))
    else {
      return isMoreDue ? "page 1 as drafted does not lead to page 2, although there is one" : nil
    }
    let next: Page
    do { next = try content(of: second, 2, reader, stream) } catch { return "\(error)" }
    let known = Set(page.records.map(\.json))
    let fresh = next.records.count { !known.contains($0.json) }
    console.tell("   \(Wording.count(count, "record")), then \(Wording.number(fresh)) others")
    return fresh == 0 && isMoreDue
      ? "its own page 2 holds nothing that page 1 does not" : nil
  }

  private static func second(_ stream: Base.Stream, _ page: Page) -> Cursor? {
    switch stream.pager {
    case .single: nil
    case .number(_, let first): .number(first + 1)
    case .offset: .offset(page.records.count)
    case .chain: page.next
    }
  }

  /// For a POST says what changes in the body, as the address does not.
  private static func purpose(_ first: RequestBody?, _ second: RequestBody?) -> String {
    let moved = Subject.changes(from: first, to: second)
    return moved.isEmpty
      ? "and its page 2" : "and its page 2, with \(moved.joined(separator: " and ")) in the body"
  }

  private func answer(
    _ step: Step, _ fields: [HeaderField], _ purpose: String
  ) async -> Answer? {
    requests.tell("   \(purpose)", step.address)
    var request = requests.request(step.address, fields, hopsMax: 0)
    request.body = step.body
    let why: String
    do {
      switch try await requester.probe(request, quotas) {
      case .answer(let answer): return answer
      case .held(let words, _), .failed(let words): why = words
      }
    } catch { why = "\(error)" }
    console.tell("   \(why): the draft was not tried")
    return nil
  }

  private func content(
    of answer: Answer, _ number: Int, _ reader: PageReader, _ stream: Base.Stream
  ) throws(DraftProblem) -> Page {
    switch reader.read(answer, AnswerBody(answer, isFeed: stream.readsFeed)) {
    case .page(let found): return found
    case .trouble(let trouble):
      throw DraftProblem("its own page \(number) cannot be read: \(trouble)")
    case .notModified, .later: throw DraftProblem("its own page \(number) has no content")
    }
  }
}
