import Glibc
@testable import Commands
@testable import Store
import TestSupport
import Testing

@Suite("prove beside somebody who exchanges the database")
struct ExchangedFileTests {
  /// What happens to the file after the first of two connections has opened it.
  enum Fate: CaseIterable { case stays, isExchanged, isGone }

  @Test("proves nothing of two files", arguments: Fate.allCases)
  func proves(fate: Fate) async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    _ = try await trial.run("run people")
    let path = "\(trial.data)/trawl.db"
    // As sound as the other one, without its rows.
    let copy = "\(trial.scratch.path)/copy"
    _ = try await trial.run(["run", "people", "--data", copy])

    let ended = try await trial.watch { console in
      let context = try trial.context(["prove", "--data", trial.data], console: console)
      let command = ProveCommand(context: context) {
        switch fate {
        case .stays: break
        case .isExchanged: #expect(rename("\(copy)/trawl.db", path) == 0)
        case .isGone: #expect(rename(path, path + ".old") == 0)
        }
      }
      do { return try await command.perform() } catch let error as StoreError {
        #expect(error.kind == .cannotRead && error.place == path)
        #expect(error.message.contains("it was moved or replaced while it was read"))
        return .damaged
      }
    }
    if fate == .stays {
      #expect(ended.status == .complete && ended.output.contains("every claim holds"))
    } else {
      #expect(ended.status == .damaged && ended.output.isEmpty, "\(ended.everything)")
    }
  }
}
