internal import Base

/// `trawl try FILE`: page 1 of each stream, as a run would store it.
struct TryCommand: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let selection = try JobSelection(context.invocation.operands[0], context)
    let page = try await context.endingAtSignal { try await PageOne.look(selection, context) }
    for look in page.looks { show(look) }
    for warning in page.facts.warnings { context.console.warn("\(warning)") }
    let status = page.status
    if status != .complete, status != .less {
      let isStopped = page.facts.outcome.kinds.contains(.interrupted)
      context.console.fail(isStopped ? "stopped by a signal" : "\(page.facts.outcome.sentence)")
    }
    if status == .secret, selection.credential == nil, !selection.note.isEmpty {
      context.console.tell("\(selection.note)")
    }
    context.console.tell("nothing was kept: this was a look at one page of each stream")
    page.tellCount(on: context.console)
    guard let trouble = page.trouble else { return status }
    trouble.tell(on: context.console)
    return ExitStatus.worst(of: [status, trouble.status])
  }

  private func show(_ look: Look) {
    if context.invocation.has(.json) {
      context.console.printJSON(look.json)
    } else {
      LookText(console: context.console).print(look)
    }
  }
}
