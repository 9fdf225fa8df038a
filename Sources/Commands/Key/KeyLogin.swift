internal import Glibc
internal import Base
internal import Crawl
internal import Jobs
internal import Media
internal import Walk

/// The first login of a job: the user authorises it on a web page. Stores nothing, so a kill leaves nothing.
struct KeyLogin: Sendable {
  let context: CommandContext
  let job: Job
  let login: SecretSource.Login

  /// An unreachable server is polled at growing intervals.
  private static let intervalMax = Duration.seconds(300)
  private static let slowdown = Duration.seconds(5)

  private var command: String { "trawl key \(ShellWord.quoted(context.invocation.operands[0]))" }
  private var unchanged: String { "nothing was changed; to log in again: \(command)" }
  private var grant: TokenGrant { login.grant }

  func perform() async throws -> AccessToken {
    // Its requests do not go to the API: they count for no quota of the job.
    var server = job
    (server.base, server.quotas, server.errors, server.health) = (grant.address, [], [], nil)
    let quotas = try JobQuotas(job: server, account: "login", hasKey: true)
    return try await context.asking { requester in
      if case .device = login.terms.grant {
        try await device(requester, quotas)
      } else {
        try await browser(requester, quotas)
      }
    }
  }

  // MARK: a device

  private func device(_ requester: Requester, _ quotas: JobQuotas) async throws -> AccessToken {
    let request = try request(grant.request.loginWords, to: login.begins)
    var asked = grant
    asked.address = login.begins
    let code: DeviceCode
    switch LoginAnswer(asked, grant.secrets, of: job).code(
      in: try await answer(to: request, requester, quotas))
    {
    case .success(let sent): code = sent
    case .failure(let problem): throw ended(problem.sentence)
    }
    context.console.tell("on any machine, open  \(code.page)")
    context.console.tell("and enter the code    \(code.shown, .bold)")
    if let page = code.wholePage { context.console.tell("with the code in it:  \(page)") }
    context.console.tell("waiting for it, \(Wording.span(code.life)) at most (Ctrl-C ends it)")
    return try await poll(requester, quotas, code)
  }

  private func poll(
    _ requester: Requester, _ quotas: JobQuotas, _ code: DeviceCode
  ) async throws -> AccessToken {
    let end = context.time.elapsed() + code.life
    var interval = code.interval
    let beside = ["device_code": code.secret]
    let request = try request(
      [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
        ("device_code", code.secret.reveal()),
      ], beside: beside)
    var answers = answers(beside: beside)
    while true {
      try await context.time.sleep(min(interval, end - context.time.elapsed()))
      // Polls once more at the end: the server may still answer.
      let isLast = context.time.elapsed() >= end
      switch try await requester.probe(request, quotas) {
      case .answer(let answer):
        switch answers.read(answer) {
        case .token(let token): return token
        case .pending(let asksForLess): if asksForLess { interval += Self.slowdown }
        case .trouble(let sentence): interval = passing(sentence, interval)
        case .ended(let sentence): throw ended(sentence)
        }
      case .held(let why, let until):
        interval = max(interval, until - context.time.now())
        context.mention("\(why)")
      case .failed(let sentence): interval = passing(sentence, interval)
      }
      if isLast { throw ended("the code was not entered in time") }
      try Task.checkCancellation()
    }
  }

  private func passing(_ sentence: String, _ interval: Duration) -> Duration {
    context.console.warn("\(sentence)")
    context.console.tell("it is asked again, less often")
    return min(interval * 2, Self.intervalMax)
  }

  // MARK: a browser

  private func browser(_ requester: Requester, _ quotas: JobQuotas) async throws -> AccessToken {
    let isByHand = context.invocation.has(.noBrowser)
    let listener = isByHand ? nil : try RedirectListener(login.terms.redirect, context.interruption)
    let back = listener?.address ?? login.terms.redirect ?? RedirectListener.usual
    let (state, verifier) = (random(), random())
    var hasher = SHA256Hasher()
    Array(verifier.utf8).withUnsafeBytes { hasher.add($0) }
    guard let digest = hasher.finish() else {
      throw ExitReport(.configuration, "this machine allows no SHA-256, which a login needs")
    }
    let page = try TokenAsk.page(
      grant, at: login.begins,
      grant.request.loginWords + [
        ("redirect_uri", "\(back)"), ("state", state),
        ("code_challenge", Base64.encoded(digest.bytes, isForAddress: true)),
        ("code_challenge_method", "S256"),
      ])
    let brought =
      if let listener {
        try await heard(listener, page, state: state)
      } else { try await pasted(page, back, state: state) }
    let code: Secret
    switch brought {
    case .code(let sent): code = sent
    case .refused(let why): throw ended(why)
    }
    let beside = ["code": code, "code_verifier": Secret(verifier)]
    let request = try request(
      [
        ("grant_type", "authorization_code"), ("code", code.reveal()),
        ("redirect_uri", "\(back)"), ("code_verifier", verifier),
      ], beside: beside)
    var answers = answers(beside: beside)
    switch answers.read(try await answer(to: request, requester, quotas)) {
    case .token(let token): return token
    case .trouble(let sentence), .ended(let sentence): throw ended(sentence)
    case .pending: throw ended("\(grant.address.origin) answers as to a device")
    }
  }

  /// 256 random bits.
  private func random() -> String {
    let words = (0..<4).map { _ in context.time.random() }
    return Base64.encoded(words.withUnsafeBytes { Array($0) }, isForAddress: true)
  }

  private func heard(
    _ listener: RedirectListener, _ page: WebAddress, state: String
  ) async throws -> RedirectAnswer {
    let way = opens(page) ? "your browser opens" : "open in a browser of this machine"
    context.console.tell("\(way):\n  \(page)")
    context.console.tell(
      "waiting for it (Ctrl-C ends it); without a browser here: \(command) --no-browser")
    guard let answer = await listener.answer(state: state, { context.console.warn("\($0)") }) else {
      throw CancellationError()
    }
    return answer
  }

  /// - Returns: whether a browser was started.
  private func opens(_ page: WebAddress) -> Bool {
    let program = context.environment("BROWSER")
    guard program != nil || context.environment.hasDisplay else { return false }
    // Hides the browser's own messages.
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let child = ChildProcess(program: program ?? "xdg-open", arguments: ["\(page)"], isApart: true)
    return child.start(input: nothing, output: nothing, errors: nothing) != nil
  }

  private func pasted(
    _ page: WebAddress, _ back: WebAddress, state: String
  ) async throws -> RedirectAnswer {
    context.console.tell("open in a browser, on any machine:\n  \(page)")
    context.console.tell(
      "it ends at a page that cannot be shown, whose address begins with \(back)")
    let typed = await context.typed("paste that address (typing is hidden): ")
    if context.interruption?.isAsked ?? false { throw CancellationError() }
    let text = String(decoding: typed ?? [], as: UTF8.self).trimmingBlanks
    guard let address = try? WebAddress(text),  // what is none is said below
      let answer = RedirectAnswer(address, state: state)
    else {
      throw ended("that is not the address at which this login ends")
    }
    return answer
  }

  // MARK: both

  /// - Parameter beside: the secrets among the words.
  private func request(
    _ words: [TokenAsk.Word], to address: WebAddress? = nil, beside: [String: Secret] = [:]
  ) throws -> Base.Request {
    var request = try TokenAsk.request(
      grant, grant.secrets, login: words, to: address,
      allowsLoopback: grant.address.origin.isLoopback)
    request.secrets += beside.values
    return request
  }

  private func answers(beside secrets: [String: Secret]) -> LoginAnswer {
    LoginAnswer(grant, grant.secrets.merging(secrets) { $1 }, of: job)
  }

  private func ended(_ sentence: String) -> ExitReport {
    ExitReport(.secret, sentence, unchanged)
  }

  private func answer(
    to request: Base.Request, _ requester: Requester, _ quotas: JobQuotas
  ) async throws -> Answer {
    switch try await requester.probe(request, quotas) {
    case .answer(let answer): return answer
    case .held(let why, let until):
      throw ExitReport(
        .paused, "nothing was changed: \(why)", "try again after \(context.clock(until))")
    case .failed(let sentence):
      throw ExitReport(.unreachable, sentence, unchanged)
    }
  }
}
