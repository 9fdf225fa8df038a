internal import CLinux
internal import Dispatch
internal import Glibc
internal import Base
internal import Jobs

/// The program: one command line in, one exit code out. Throws nothing.
public enum Program {
  /// Not `async`: with an async main Dispatch opens a descriptor before the first line, which would take the number of
  /// a closed stdout.
  public static func main() -> Never {
    Console.claimDescriptors()
    if let complaint = ProcessFolder.complaint { refuse(complaint.sentence, complaint.status) }
    if ThreadLimit.isTooLow {
      let sentence = "no further thread can be started here\n\(ThreadLimit.cure)\n"
      refuse(sentence, ExitStatus.cannotWrite.code)
    }
    OpenFileLimit.raise()
    // Keys are in memory; if the kernel refuses, cores are written as usual.
    _ = clinux_keep_memory_private()
    clinux_keep_freed_memory()
    // Not awaited: it ends the process itself.
    Task { @MainActor in await run() }
    dispatchMain()
  }

  private static func refuse(_ sentence: String, _ status: Int32) -> Never {
    let text = Array("trawl: \(sentence)".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
  }

  private static func run() async -> Never {
    let environment = Environment.ofThisProcess()
    let facts = TerminalFacts(output: 1, error: 2, environment: { environment($0) })
    let console = Console(facts: facts)
    let interruption = Interruption.install()
    let status = await perform(
      Array(CommandLine.arguments.dropFirst()), environment, console, interruption)
    let written = console.finish()
    interruption?.endBySignal()
    if let signal = interruption?.signal { exit(128 + signal) }
    exit(ExitStatus.worst(of: [status] + (written.map { [$0] } ?? [])).code)
  }

  static func perform(
    _ arguments: [String], _ environment: Environment, _ console: Console,
    _ interruption: Interruption?, _ time: Timekeeper = .live, _ standIns: StandIns? = nil
  ) async -> ExitStatus {
    await withTaskExecutorPreference(CommandThreads.shared) {
      await carryOut(arguments, environment, console, interruption, time, standIns)
    }
  }

  private static func carryOut(
    _ arguments: [String], _ environment: Environment, _ console: Console,
    _ interruption: Interruption?, _ time: Timekeeper, _ standIns: StandIns?
  ) async -> ExitStatus {
    let request: Request
    do {
      request = try ArgumentReader(now: time.now()).read(arguments)
    } catch {
      console.fail("\(error.sentence)")
      console.tell(ConsoleText(error.hint))
      return .usage
    }
    do {
      switch request {
      case .help(let command):
        return HelpCommand(console: console).show(command)
      case .version:
        return Version.show(on: console)
      case .completions(let shell):
        console.printLines(CompletionScript.text(for: shell))
        return .complete
      case .manualPage(let isOfFormat):
        console.printLines(
          isOfFormat
            ? FormatManual.text(version: Version.number)
            : ManualPage(version: Version.number).text)
        return .complete
      case .completeWords(let words):
        console.printLines(Completion(words, environment: environment).text)
        return .complete
      case .command(let invocation) where invocation.isForSystem && invocation.command != .key:
        let context = CommandContext(
          invocation: invocation, environment: environment, console: console,
          interruption: interruption, time: time)
        let words = Array(arguments.drop { $0 == OptionName.system.spelling })
        return try await SystemCommand(context: context, arguments: words).perform()
      case .command(let invocation):
        try DataLocation.refuseScheme(invocation.text(.data) ?? environment("TRAWL_DATA"))
        console.advise(AdvisedCommands(invocation, environment))
        return try await CommandTable.perform(
          CommandContext(
            invocation: invocation, environment: environment, console: console,
            interruption: interruption, time: time, standIns: standIns))
      }
    } catch let ending as ExitReport {
      ending.tell(on: console)
      return ending.status
    } catch {
      console.fail("\(String(describing: error))")
      console.fail("this is a bug in Trawl: please report it")
      return .bug
    }
  }
}

/// Large images stay open until their group is durable, and several jobs may run in parallel.
enum OpenFileLimit {
  private static let wanted: rlim_t = 16_384

  /// Raises the limit of open files. The usual 1,024 only protects programs with select(2), which neither we nor
  /// libcurl use.
  static func raise() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    // If refused, fewer images are kept open at a time.
    _ = setrlimit(resource, &limit)
  }
}
