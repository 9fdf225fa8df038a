internal import Base
internal import Drafting
internal import Jobs
internal import Walk

/// `trawl new URL`: sends a few requests, with the user's consent, and writes a job file.
struct NewCommand: Sendable {
  let context: CommandContext

  private static let requestsMax = Drafter.requestsMax + DraftTrial.requestsMax

  private var console: Console { context.console }

  func perform() async throws -> ExitStatus {
    let operand = context.invocation.operands[0]
    if let file = DescriptionFile.path(operand) {
      for name in [OptionName.into, .header, .post] where context.invocation.has(name) {
        throw ExitReport(
          .usage, "\(name.spelling) goes with the URL of a list, and \(file) describes an API")
      }
      return try await DescriptionDraft(context: context, file: file).perform()
    }
    guard !context.invocation.has(.path) else {
      throw ExitReport(.usage, "--path goes with a description of an API, not with a URL")
    }
    let wish = try ListWish(context.invocation, context.environment)
    return try await draft(from: wish, isOptional: false) ?? .complete
  }

  /// - Parameter isOptional: return nil if the user does not allow the requests: there is another way.
  func draft(from wish: ListWish, isOptional: Bool) async throws -> ExitStatus? {
    let file = wish.file(context.invocation)
    if wish.addition == nil {
      _ = try context.fileToWrite(.output)
      try JobDraftFile.checkIsFree(file)
    }
    announce(wish)
    guard try await isAllowed(isOptional) else {
      console.tell("nothing was requested")
      return isOptional ? nil : .complete
    }
    let credential = try await wish.credential(context)
    let requests = try DraftRequests(context: context, wish: wish, credential: credential)
    let (drafter, doubt) = try await requests.perform()
    return try finish(drafter, doubt, wish, credential, file)
  }

  // MARK: before

  private func announce(_ wish: ListWish) {
    let most = Self.requestsMax
    console.tell(
      """
      at most \(most) requests go to \(wish.origin), one after the other: the list, page 2 in the ways that page 1 \
      suggests, a larger page, the end of the list, and the draft's own first two; each is shown before it is sent.
      """)
    if let place = wish.place {
      let goes =
        switch place {
        case .header(let name, _): "the header \(name)"
        case .query(let name): "the parameter \(name)"
        case .basic, .userName: "the header Authorization"
        }
      console.tell(
        "\(goes) holds a secret: it is sent to \(wish.origin) only, and written to no file")
    }
    for name in wish.perhapsSecret {
      console.tell(
        "\(name) has a long value, which goes into the file: if it is a secret, write {key} in its place"
      )
    }
  }

  private func isAllowed(_ isOptional: Bool) async throws(ExitReport) -> Bool {
    if context.invocation.has(.yes) { return true }
    if let reply = await context.ask("send them? [y/N] ") { return reply }
    if isOptional { return false }
    throw ExitReport(
      .usage, "there is no terminal to ask at; nothing was requested",
      "add --yes to send up to \(Self.requestsMax) requests")
  }

  // MARK: after

  private func finish(
    _ drafter: Drafter, _ doubt: String?, _ wish: ListWish, _ credential: Credential?,
    _ file: String
  ) throws -> ExitStatus {
    let draft: DraftText
    do { draft = try drafter.draft(isShort: context.invocation.has(.short)) } catch {
      throw ExitReport(.failed, "\(error)")
    }
    // Answers were screened on arrival; this is for typed text.
    let text = try wish.addition?.text(adding: draft) ?? draft.text
    if SecretScreen(credential, bytesMin: 4).isHeld(by: draft.text) {
      throw ExitReport(
        .secret, "the secret is also in the address or in another header: nothing was written",
        "give it once, as {key}")
    }
    let job = try job(text, file, isAddition: wish.addition != nil)
    try JobDraftFile.write(text, file)
    show(draft)
    var doubts = doubt.map { ["the draft was tried: \($0)"] } ?? []
    if let lack = drafter.lack {
      doubts.append("\(lack), and no way to page 2 was found: the draft reads one page only")
    }
    doubts += drafter.doubts
    if wish.addition != nil { doubts += Self.twins(in: job, file) }
    for doubt in doubts { console.warn("\(doubt)") }
    tellNext(wish, file)
    return doubts.isEmpty ? .complete : .less
  }

  /// Streams that send the same requests as the one that was added: the command may have been given twice.
  private static func twins(in job: Job, _ file: String) -> [String] {
    let prints = job.streams.map { Fingerprinter.fingerprints(of: $0, in: job).request }
    return zip(job.streams, prints).dropFirst().filter { $1 == prints[0] }.map { twin, _ in
      "\(twin.name) in \(file) reads the same list as \(job.streams[0].name), which was added: keep one of them"
    }
  }

  private func job(
    _ text: String, _ file: String, isAddition: Bool
  ) throws(ExitReport) -> Job {
    do { return try JobFile.read(Array(text.utf8), file: file) } catch {
      let what =
        isAddition
        ? "the drafted list and \(file) do not go together, and the file stays as it is:"
        : "the draft is not a valid job file and was not written; please report it:"
      throw ExitReport(
        isAddition ? .failed : .bug, lines: [what] + error.problems.map(\.description))
    }
  }

  private func show(_ draft: DraftText) {
    console.tell("")
    for (what, found) in draft.summary {
      let name = what + String(repeating: " ", count: max(1, 9 - what.utf8.count))
      console.tell("  \(name) \(found)")
    }
    console.tell("")
  }

  private func tellNext(_ wish: ListWish, _ file: String) {
    console.print("\(file)")
    let done = wish.addition == nil ? "wrote \(file)" : "added a list to \(file)"
    let isShort = context.invocation.has(.short)
    console.tell("\(done); \(isShort ? "next" : "read its comments, then"):")
    let job = JobDraftFile.job(file)
    let key = wish.place == nil ? nil : "  trawl key \(job)"
    let also = wish.place != nil && wish.origin.isLoopback ? " --send-key-to \(wish.origin)" : ""
    for line in [key, "  trawl try \(job)\(also)", "  trawl check \(job)\(also)"].compactMap({ $0 })
    {
      console.tell("\(line)")
    }
  }
}
