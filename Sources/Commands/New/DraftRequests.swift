internal import Base
internal import Crawl
internal import Drafting
internal import Jobs

/// Sends a drafter's requests like those of runs: admitted by the ledger, one after another, each once.
struct DraftRequests: Sendable {
  let context: CommandContext
  let wish: ListWish
  let credential: Credential?
  private let job: Job

  /// A list's page is far smaller; endless answers end here.
  static let bodyBytesMax = 8_000_000
  static let timeout = Duration.seconds(30)

  init(context: CommandContext, wish: ListWish, credential: Credential?) throws {
    self.context = context
    self.wish = wish
    self.credential = credential
    job = try Self.job(of: wish)
  }

  /// Facts for the ledger and the judge of answers before there is a job.
  static func job(of wish: ListWish) throws -> Job {
    let text = """
      { name: "\(wish.jobName)", base: "\(wish.origin)",
        quotas: { gentle: { allow: 60, per: "minute", burst: 1, courtesy: true } },
        streams: { list: { get: "/", records: ".", into: "list", key: ["id"], columns: { id: "id" } } } }
      """
    var job = try JobFile.read(Array(text.utf8), file: "trawl new")
    if wish.origin.isLoopback { job.quotas.removeAll(where: \.isCourtesy) }
    return job
  }

  /// - Returns: the findings, and what is wrong with the draft; nil: it reads what was seen, or could not be tried.
  func perform() async throws -> (drafter: Drafter, doubt: String?) {
    let quotas = try JobQuotas(
      job: job, account: JobSelection.account(of: job, using: credential),
      hasKey: credential != nil)
    return try await context.asking { requester in
      let drafter = try await converse(requester, quotas)
      let trial = DraftTrial(requests: self, requester: requester, quotas: quotas)
      return (drafter, await trial.doubt(of: drafter))
    }
  }

  private func converse(_ requester: Requester, _ quotas: JobQuotas) async throws -> Drafter {
    let subject = wish.subject(
      date: context.time.now().day, file: wish.file(context.invocation))
    var drafter = Drafter(subject)
    var number = 0
    while let question = drafter.next() {
      number += 1
      let (address, body) = subject.request(question.address, text: question.text)
      tell("\(number). \(question.purpose)", address, body)
      // One redirect shows where a guess leads.
      let hopsMax = min(number == 1 ? TransferLimits().hopsMax : 1, drafter.left - 1)
      var request = request(address, job.fields + wish.fields, hopsMax: hopsMax)
      request.body = body
      let probe = try await requester.probe(request, quotas)
      guard try take(probe, of: request, into: &drafter, isFirst: number == 1) else { break }
    }
    return drafter
  }

  func tell(_ purpose: ConsoleText, _ address: WebAddress, _ body: RequestBody? = nil) {
    let shown = SecretScreen(credential, bytesMin: 1).clean(address)
    context.console.tell(purpose)
    let posted = body.map { " " + String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    context.console.tell("   \("\(shown)\(posted.harmless(upTo: 300))", .dim)")
  }

  func request(
    _ address: WebAddress, _ fields: [HeaderField], hopsMax: Int
  ) -> Base.Request {
    let origin = wish.origin
    var request = Base.Request(
      address, fields: fields, credential: credential,
      rule: AddressRule(trusted: [origin], allowsLoopback: origin.isLoopback))
    request.limits.bodyBytesMax = Self.bodyBytesMax
    request.limits.totalTimeout = Self.timeout
    request.limits.hopsMax = hopsMax
    return request
  }

  /// - Returns: false: send no more, draft what is known.
  private func take(
    _ probe: Probe, of request: Base.Request, into drafter: inout Drafter, isFirst: Bool
  ) throws -> Bool {
    switch probe {
    case .answer(let answer):
      if isFirst { try checkAccess(answer) }
      let told: String
      do { told = try drafter.hear(answer) } catch {
        throw ExitReport(
          .failed, "nothing can be drafted from this address: \(error)",
          answer.status == 405
            ? "a list that is requested by POST, such as GraphQL, needs its body: --post BODY"
            : "give the address of a list as JSON, with whatever it needs (-H, a key)")
      }
      context.console.tell("   \(told)")
      return true
    case .held(let why, let until):
      guard !isFirst else {
        throw ExitReport(
          .paused, "nothing was drafted: \(why)", "try again after \(context.clock(until))")
      }
      context.console.tell("   \(why): the rest is not requested")
      return false
    case .failed(let sentence):
      guard !isFirst else { throw ExitReport(.unreachable, sentence) }
      context.console.tell("   \(sentence)")
      // It may have been redirected before it failed.
      drafter.skip(sent: 1 + request.limits.hopsMax)
      return true
    }
  }

  private func checkAccess(_ answer: Answer) throws(ExitReport) {
    if answer.status >= 500 {
      throw ExitReport(
        .unreachable, "\(wish.origin) fails (HTTP \(answer.status)): nothing was drafted")
    }
    guard answer.status == 401 || answer.status == 403 else { return }
    throw ExitReport(
      .secret, "\(wish.origin) refuses the request (HTTP \(answer.status))",
      credential == nil
        ? "if it needs a key: -H 'Authorization: Bearer {key}', or {key} in the address; Trawl asks for it"
        : "the key was sent and not accepted; other ways are -H 'Authorization: Basic {key}',"
          + " -H 'Authorization: Basic USER:{key}', which Trawl encodes, and a header of the API's own"
    )
  }
}
