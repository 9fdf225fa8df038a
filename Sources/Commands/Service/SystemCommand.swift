internal import Glibc
internal import Base
internal import Jobs

/// `sudo trawl --system COMMAND`: the command as the service would run it, with its user, keys and sandbox, on this
/// terminal.
struct SystemCommand: Sendable {
  let context: CommandContext
  /// The words after `--system`.
  let arguments: [String]

  private static let template = "trawl@"

  func perform() async throws -> ExitStatus {
    try Self.requireRoot(context)
    guard access("/run/systemd/system", F_OK) == 0 else {
      throw ExitReport(
        .usage, "--system: systemd does not run here",
        "as the user of the data: sudo -u trawl trawl \(context.invocation.command.rawValue) … "
          + "--data \(DataLocation.ofTheSystem)")
    }
    let instance = job ?? ""
    let unit = "\(Self.template)\(instance).service"
    var program = BoundedProgram(words: ["systemctl", "cat", "--no-pager", "--", unit])
    program.dropsErrors = true
    // A unit file and its drop-ins are far smaller.
    program.outputBytesMax = 1_000_000
    let shown = await program.run()
    guard shown.problem == nil else {
      throw ExitReport(
        .configuration, "--system: the unit \(unit) is not installed", "systemd/README.md says how")
    }
    let settings = UnitSettings(shown.output, instance: instance)
    return try await run(settings)
  }

  /// Only root can become another user.
  static func requireRoot(_ context: CommandContext) throws(ExitReport) {
    guard geteuid() == 0 else {
      throw ExitReport(
        .usage, "--system is for root",
        "sudo trawl --system \(context.invocation.command.rawValue) …")
    }
  }

  /// The named job, whose own drop-ins apply; a path or a run names none.
  private var job: String? {
    guard let word = context.invocation.operands.first, !JobLibrary.isPath(word),
      (try? JobSelection.load(word, context.environment)) != nil  // reported by the command itself
    else { return nil }
    return word
  }

  private func run(_ settings: UnitSettings) async throws -> ExitStatus {
    guard let program = FolderNames.resolved("/proc/self/exe") else {
      throw ExitReport(.bug, "/proc/self/exe cannot be read: \(SystemError.latest)")
    }
    let name = "trawl-command-\(getpid()).service"
    let words = Self.words(
      name: name, settings: settings, program: program, arguments: arguments,
      environment: context.environment)
    let stopping = context.interruption.map { interruption in
      Task {
        // Ends with the cancellation below. The service finishes its page, as always.
        guard let signal = await interruption.asked() else { return }
        _ = await ChildProcess(
          program: "systemctl", arguments: ["kill", "--signal=\(signal)", name]
        ).run()
      }
    }
    defer { stopping?.cancel() }
    let child = ChildProcess(program: "systemd-run", arguments: words, isApart: true)
    guard let code = await child.run() else {
      throw ExitReport(.configuration, "--system: systemd-run cannot be started: is it installed?")
    }
    return ExitStatus(rawValue: code) ?? .failed
  }

  /// The arguments of `systemd-run`.
  static func words(
    name: String, settings: UnitSettings, program: String, arguments: [String],
    environment: Environment
  ) -> [String] {
    var words = [
      "--quiet", "--wait", "--pipe", "--collect", "--no-ask-password", "--unit=\(name)",
      "--description=trawl \(arguments.first ?? "")",
    ]
    for property in settings.properties { words.append("--property=\(property)") }
    // The terminal's properties.
    for variable in ["TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "TZ"] {
      if let value = environment(variable) { words.append("--setenv=\(variable)=\(value)") }
    }
    words += ["--", program]
    // The service manager expands variables in arguments; `$$` is a literal `$`.
    return words + arguments.map { $0.replacing("$", with: "$$") }
  }
}
