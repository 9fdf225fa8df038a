public import Base

/// Asks one question after another until a job can be written. Pure: its caller sends the requests. At most
/// `requestsMax` requests, redirects included.
public struct Drafter: Sendable {
  /// One request and its purpose.
  public struct Question: Sendable {
    public var address: WebAddress
    public var purpose: String
    /// The member of a body that is a text, whatever it looks like.
    public var text: String?
  }

  public static let requestsMax = 8
  /// How many ways to page 2 are tried.
  static let guessesMax = 4

  private enum Stage: Sendable, Equatable {
    case first, smaller, paging, front, larger, last, behindLast, done
  }

  private var stage = Stage.first
  private var pending: Guess?
  private var guesses: [Guess] = []
  private var tried = 0
  /// What was requested to find the list's beginning.
  private var fronts: Set<WebAddress> = []
  /// How many requests may still be sent.
  public private(set) var left = Self.requestsMax
  var findings: Findings
  private var subject: Subject { findings.subject }

  public init(_ subject: Subject) {
    var subject = subject
    let remarks = subject.beginAtTheFront()
    findings = Findings(subject)
    findings.remarks = remarks
  }

  // MARK: questions

  /// Nil: no more questions.
  public mutating func next() -> Question? {
    while left > 0, stage != .done {
      if let question = question() { return question }
      advance()
    }
    stage = .done
    return nil
  }

  private mutating func question() -> Question? {
    switch stage {
    case .first: return Question(address: subject.address(), purpose: "the list itself")
    case .smaller: return smaller()
    case .paging:
      guard tried < waysMax, !guesses.isEmpty else { return nil }
      let guess = guesses.removeFirst()
      pending = guess
      return Question(address: guess.address, purpose: guess.purpose, text: guess.text)
    case .front:
      return front().flatMap { fronts.insert($0.address).inserted ? $0 : nil }
    case .larger: return larger()
    case .last: return last(at: 0)
    case .behindLast: return findings.isLastFull ? last(at: 1) : nil
    case .done: return nil
    }
  }

  /// If a total says that there is more, further tries are worthwhile.
  private var waysMax: Int { findings.isTotalAbove ? Self.requestsMax : Self.guessesMax }

  private mutating func advance() {
    switch stage {
    case .first: stage = .smaller
    case .smaller:
      if let page = findings.page {
        let ways = PagingGuesses(subject, page, key: findings.key)
        findings.remarks += ways.remarks
        guesses = ways.all
      }
      stage = .paging
    case .paging:
      findings.endPaging()
      stage = .front
    case .front: stage = .larger
    case .larger: stage = .last
    case .last: stage = .behindLast
    case .behindLast, .done: stage = .done
    }
  }

  /// If page 1 is everything, a shorter page 1 shows how the list is paged.
  private func smaller() -> Question? {
    guard let page = findings.page, !page.isOneRecord, page.records.count > 1,
      findings.saysItIsAll(page), let size = findings.size
    else { return nil }
    let wanted = max(1, page.records.count / 2)
    return Question(
      address: subject.address(setting: [.init(size.name, String(wanted))]),
      purpose: "shorter pages (\(size.name)=\(wanted)), since one holds all")
  }

  /// Whether page 1 is the first one.
  private func front() -> Question? {
    guard case .number(let name, _)? = findings.paging else {
      let places = findings.placesSent
      guard !places.isEmpty else { return nil }
      return Question(
        address: subject.without(places).address(),
        purpose: "without \(places.joined(separator: ", ")): does the list begin earlier?")
    }
    let sent = subject.value(of: name)
    guard sent.map({ Int($0) == 1 }) ?? true else { return nil }
    let number = sent == nil ? "1" : "0"
    return Question(
      address: subject.address(setting: [.init(name, number)]),
      purpose: "\(name)=\(number): is it the first page?")
  }

  private func larger() -> Question? {
    guard let size = findings.size, let page = findings.page, !page.isOneRecord,
      size.value < Findings.sizeWanted, page.records.count >= size.value,
      findings.paging != nil
    else { return nil }
    return Question(
      address: subject.address(setting: [.init(size.name, String(Findings.sizeWanted))]),
      purpose:
        "a larger page (\(size.name)=\(Findings.sizeWanted)), to need fewer requests")
  }

  /// The page at which the list ends according to its own total.
  private func last(at more: Int) -> Question? {
    guard let total = findings.total?.number, total > 0, let page = findings.page else {
      return nil
    }
    let size = page.records.count
    guard size > 0, total > size else { return nil }
    let change: Subject.Parameter
    switch findings.paging {
    case .number(let name, let first)?:
      change = .init(name, String(first + (total + size - 1) / size - 1 + more))
    case .offset(let name)?: change = .init(name, String(total - 1 + more))
    case .some(let paging) where paging.isNamed && more == 0:
      guard let place = findings.placeOfSecond else { return nil }
      return Question(
        address: subject.address(setting: [.init(place.name, String(total))]),
        purpose: "behind the end by the total of \(total): is a next page named?")
    default: return nil
    }
    let place = "\(change.name)=\(change.value)"
    return Question(
      address: subject.address(setting: [change] + findings.addedSize),
      purpose: more == 0
        ? "the end by the total of \(total) (\(place))"
        : "the page after it (\(place)), which should be empty")
  }

  // MARK: answers

  /// Takes the answer to the last question.
  /// - Returns: a sentence about what it showed.
  public mutating func hear(_ answer: Answer) throws(DraftProblem) -> String {
    left -= 1 + answer.hops.count
    findings.learnLimits(answer)
    let page: Sample
    do throws(DraftProblem) {
      page = try Sample.read(answer, for: subject, like: findings.page)
    } catch {
      if stage == .first { throw error }
      return hearOther(error.description)
    }
    switch stage {
    case .first: return try hearFirst(page)
    case .paging: return hearGuess(page)
    default: return hearLook(page)
    }
  }

  /// A request after the first failed: its question stays open.
  /// - Parameter sent: requests sent for it, redirects included.
  public mutating func skip(sent: Int) {
    left -= max(1, sent)
    if stage == .front { findings.remarks.append(frontUnseen) }
    if stage == .paging { tried += 1 } else { advance() }
  }

  private var frontUnseen: String {
    if case .number? = findings.paging {
      return "it is not known whether page 0 or page 1 is the first: look at page 0"
    }
    return "it is not known whether the list begins before"
      + " \(findings.placesSent.joined(separator: ", ")) of the address"
  }

  /// It is no page of the list.
  private mutating func hearOther(_ why: String) -> String {
    switch stage {
    case .paging: tried += 1
    case .front: findings.remarks.append(frontUnseen)
    default:
      if stage == .last, findings.paging?.isNamed == false { findings.count = .refused(why) }
      advance()
    }
    return why
  }

  private mutating func hearFirst(_ page: Sample) throws(DraftProblem) -> String {
    guard !page.records.isEmpty else {
      throw DraftProblem(
        "the list is empty\(page.path.isEmpty ? "" : " (\(JSONPath.text(of: page.path)))"):"
          + " no record to draft columns from; use a query that returns records")
    }
    findings.begin(page)
    advance()
    return page.told
  }

  private mutating func hearGuess(_ page: Sample) -> String {
    tried += 1
    guard let guess = pending, let first = findings.page else { return "" }
    if page.records.isEmpty { return "no records: not the way to page, or there is no page 2" }
    guard page.isOther(than: first, findings.key) else {
      return "the records of page 1 again: not the way to page"
    }
    findings.accept(guess, page)
    advance()
    return "\(Wording.count(page.records.count, "other record")): the way to page"
  }

  private mutating func hearLook(_ page: Sample) -> String {
    // Its next question may depend on this answer.
    defer { if stage != .front { advance() } }
    switch stage {
    case .smaller: return findings.takeShorter(page)
    case .front: return findings.judgeFront(page)
    case .larger: return findings.judgeSize(page)
    case .last: return findings.judgeLast(page)
    case .behindLast: return findings.judgeBehind(page)
    default: return ""
    }
  }

  /// Why the list is, or may be, longer than page 1, if no way to page 2 was found.
  public var lack: String? { findings.lack }

  /// Why the draft may not read the list that is meant, or not all of it.
  public var doubts: [String] {
    [findings.miscount, findings.laterPath].compactMap(\.self) + findings.doubts
  }

  /// Whether the list is known to have more than a page of this many records.
  public func hasMore(than count: Int) -> Bool { findings.hasMore(than: count) }

  /// How many records the draft's own first page must have.
  public var recordsOfPageOne: Int { findings.page?.records.count ?? 0 }

  /// The job, after the last question.
  /// - Parameter isShort: in the shortest form, with every member of the records as a column.
  public func draft(isShort: Bool = false) throws(DraftProblem) -> DraftText {
    guard findings.page != nil else { throw DraftProblem("no answer came") }
    return DraftText(findings, isShort: isShort)
  }
}

/// Why nothing can be drafted, or a stream not translated.
public struct DraftProblem: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ sentence: String) { description = sentence }
}
