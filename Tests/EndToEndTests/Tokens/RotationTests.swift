import Glibc
import Base
import TestSupport
import Testing

@Suite("A secret that is spent by its use", .prompt)
struct RotationTests {
  private let home = Home()

  private var kept: String { Golden.read("\(home.settings)/trawl/keys/shop-refresh") ?? "" }

  @Test("is replaced in its folder before anything rests on the next one, for its servers alone")
  func replaced() async throws {
    let api = TokenAPI(.init(rotates: true))
    let job = api.shop(home, more: TokenAPI.rotating)
    for night in 1...3 {
      await home.run(api.arguments(home, job), ends: 0)
      #expect(kept == "canary-refresh-\(night)\(api.bond)")
    }
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-1", "canary-refresh-2"])
    let mode = await home.shell("stat -c %a '\(home.settings)/trawl/keys/shop-refresh'")
    #expect(mode.output == "600\n")
    await home.run(
      ["check", job, "--offline", "--send-key-to", api.origin],
      showing: "the next one is kept in \(home.settings)/trawl/keys/shop-refresh")
  }

  @Test("of a service is followed by one in its state folder, and by a new one of a person")
  func service() async throws {
    let api = TokenAPI(.init(rotates: true))
    let credentials = "\(home.scratch.path)/credentials"
    home.makeFolder(credentials)
    func hand(_ api: TokenAPI) {
      for (hole, text) in api.held {
        let path = "\(credentials)/keys_shop-\(hole)"
        unlink(path)
        home.write(text + api.bond, to: path, mode: 0o444)
      }
    }
    hand(api)
    let job = home.write(api.job(more: TokenAPI.rotating), to: "shop.json5")
    let variables = ["CREDENTIALS_DIRECTORY": credentials, "STATE_DIRECTORY": home.data]
    for _ in 1...2 { await home.run(api.arguments(home, job), variables, ends: 0) }
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-1"])
    let listed = await home.shell("stat -c '%a %n' \"$D\"/keys \"$D\"/keys/shop-refresh.next")
    #expect(
      listed.output == "700 \(home.data)/keys\n600 \(home.data)/keys/shop-refresh.next\n",
      "\(listed)")
    // The user has a new secret: the successor of the old one is forgotten.
    let other = TokenAPI(.init(rotates: true))
    let again = home.write(other.job(more: TokenAPI.rotating), to: "shop.json5")
    hand(other)
    home.write(
      "canary-refresh-old\n\(other.bond.dropFirst())follows 12345\n",
      to: "\(home.data)/keys/shop-refresh.next", mode: 0o600)
    await home.run(other.arguments(home, again, ["--moved"]), variables, ends: 0)
    #expect(other.spent == ["canary-refresh-0"])
  }

  @Test("is spent by one process at a time")
  func twoProcesses() async throws {
    let api = TokenAPI(.init(rotates: true))
    let first = api.shop(home, more: TokenAPI.rotating)
    let second = home.write(api.job(name: "stall", more: TokenAPI.rotating), to: "stall.json5")
    // Each token ends the one before: the other run must get its own.
    let runs = [first, second, first, second].enumerated().map { index, job in
      home.start(
        ["run", job, "--data", "\(home.data)-\(index)", "--send-key-to", api.origin])
    }
    for run in runs {
      let ended = await run.end()
      #expect(ended.status == 0, "\(ended.errors)")
    }
    #expect(Set(api.spent).count == api.spent.count, "\(api.spent)")
    #expect(kept.hasPrefix("canary-refresh-\(api.given)\n"))
  }

  @Test(
    "is shared with runs whose tokens end this one's: that is no refusal of the key, unless it goes on for ever",
    arguments: [(3, 0), (1_000, 77)] as [(Int, Int32)])
  func overtaken(times: Int, status: Int32) async throws {
    let otherRun = Locked<(@Sendable () -> Void)?>(nil)
    let api = TokenAPI(
      .init(rotates: true),
      onPage: {
        let spend = otherRun.withLock { $0 }
        spend?()
      })
    let job = api.shop(home, more: TokenAPI.rotating)
    let left = Locked(times)
    otherRun.withLock { run in
      run = { [home] in
        let isDue = left.withLock { left in
          left -= 1
          return left >= 0
        }
        guard isDue else { return }
        api.spendElsewhere()
        api.keep(home)
      }
    }
    await home.run(api.arguments(home, job), ends: status)
    #expect(api.given == min(times + 1, 22))
    otherRun.withLock { $0 = nil }
  }

  @Test("is not spent to see whether the API still answers, where a list fails")
  func witness() async throws {
    let api = TokenAPI(.init(rotates: true, failing: "/films"))
    api.keep(home)
    let films = """
          films: {
            get: "/films", pages: { by: "single" }, records: "items", into: "films", key: ["id"],
            columns: { id: "id as integer" },
          },

      """
    let end = "  },\n}\n"
    let text = api.job(more: TokenAPI.rotating).pieces(around: end).joined(separator: films + end)
    let job = home.write(text, to: "shop.json5")
    await home.run(api.arguments(home, job))
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-1"])
    #expect(kept.hasPrefix("canary-refresh-2\n"))
  }

  @Test("is not lost with an answer in which the job finds no token")
  func slip() async throws {
    let api = TokenAPI(.init(rotates: true))
    let job = api.shop(home, more: "at: \"token\", \(TokenAPI.rotating)")
    await home.run(api.arguments(home, job), ends: 1, saying: "see token.at of the job")
    #expect(kept.hasPrefix("canary-refresh-1\n"))
    home.write(api.job(more: TokenAPI.rotating), to: "shop.json5")
    await home.run(api.arguments(home, job), ends: 0)
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-1"])
  }

  @Test(
    "is not sent from a disk without room for the next one, and the run ends as on any full disk",
    .enabled(if: SmallDisk.isPossible, "this process may not mount"), arguments: [0, 4_096])
  func fullDisk(room: Int) async throws {
    let disk = try #require(SmallDisk(bytes: 1 << 20))
    let api = TokenAPI(.init(rotates: true))
    let job = api.shop(home, more: TokenAPI.rotating)
    await home.shell(
      "mkdir '\(disk.path)/config' && cp -rp '\(home.settings)/trawl' '\(disk.path)/config/'",
      ends: 0)
    let settings = ["XDG_CONFIG_HOME": "\(disk.path)/config"]
    disk.fill(leaving: room)
    await home.run(api.arguments(home, job), settings, ends: 74, saying: "cannot be kept")
    #expect(api.server.calls.isEmpty)
    disk.makeRoom()
    await home.run(api.arguments(home, job), settings, ends: 0)
    #expect(api.spent == ["canary-refresh-0"])
  }

  @Test("and lost by a kill before its successor came: the next run says so, and what mends it")
  func killedBeforeAnswer() async throws {
    let run = Locked<BinaryRun?>(nil)
    let api = TokenAPI(.init(rotates: true)) {
      // The server has used it up, but the answer arrives nowhere.
      run.withLock { $0?.kill() }
    }
    let job = api.shop(home, more: TokenAPI.rotating)
    let started = run.start { home.start(api.arguments(home, job)) }
    #expect(await started.end().wasSignalled)
    run.withLock { $0 = nil }
    await home.run(
      api.arguments(home, job), ends: 77, saying: "an earlier try had sent it",
      home.advice("trawl key \(job)"), without: "canary")
    api.keep(home)
    await home.run(api.arguments(home, job), ends: 0)
  }

  @Test("and not lost by a kill behind its answer: the next run spends the successor")
  func killedBehindAnswer() async throws {
    let run = Locked<BinaryRun?>(nil)
    let api = TokenAPI(.init(rotates: true))
    // The API's own server: it kills at the first request with the token.
    let front = AnswerServer { _ in
      run.withLock { $0?.kill() }
      return .json("{\"items\": []}")
    }
    api.keep(home)
    let job = home.write(api.job(more: TokenAPI.rotating, base: front.origin), to: "shop.json5")
    let started = run.start {
      home.start(api.arguments(home, job, ["--send-key-to", front.origin]))
    }
    #expect(await started.end().wasSignalled)
    #expect(front.everythingHeard.holds("Bearer canary-access-1"))
    #expect(kept.hasPrefix("canary-refresh-1\n"))
    home.write(api.job(more: TokenAPI.rotating), to: "shop.json5")
    await home.run(api.arguments(home, job, ["--moved"]), ends: 0)
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-1"])
  }

  @Test("stays what it was where the answer names no other")
  func staysWhatItWas() async throws {
    let api = TokenAPI()
    let job = api.shop(home, more: TokenAPI.rotating)
    for _ in 1...2 { await home.run(api.arguments(home, job), ends: 0) }
    #expect(api.spent == ["canary-refresh-0", "canary-refresh-0"])
  }

  @Test("is not sent where its successor could not be kept")
  func unwritable() async throws {
    let api = TokenAPI(.init(rotates: true))
    api.keep(home)
    // A folder where the lock would be.
    home.makeFolder("\(home.settings)/trawl/keys/.shop-refresh.lock")
    let job = home.write(api.job(more: TokenAPI.rotating), to: "shop.json5")
    await home.run(api.arguments(home, job), ends: 77, saying: "cannot be kept")
    #expect(api.server.calls.isEmpty)
  }
}

extension Locked where Value == BinaryRun? {
  /// Keeps a run that a server kills: the server waits until its process is known.
  func start(_ run: () -> BinaryRun) -> BinaryRun {
    withLock { held in
      let started = run()
      held = started
      return started
    }
  }
}
