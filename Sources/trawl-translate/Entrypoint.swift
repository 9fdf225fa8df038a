internal import Glibc
internal import Base
internal import Translation

@main
struct Entrypoint {
  static func main() {
    let outcome =
      ProcessFolder.complaint.map { Outcome(status: $0.status, notes: [$0.sentence]) }
      ?? TranslateCommand.perform(
        Array(CommandLine.arguments.dropFirst()), day: Timekeeper.live.now().day)
    // If the reader is gone nothing changes: the file is written.
    _ = try? AtomicFile.write(outcome.notesText, to: STDERR_FILENO)
    do { try AtomicFile.write(Array(outcome.output.utf8), to: STDOUT_FILENO) } catch { exit(74) }
    exit(outcome.status)
  }
}
