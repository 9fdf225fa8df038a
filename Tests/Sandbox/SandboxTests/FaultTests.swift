@testable import Base
@testable import SandboxKit
import TestSupport
import Testing

@Suite("A fault of the sandbox", .prompt)
struct FaultTests {
  /// What is on the wire for one kind, judged against the good body of the same request.
  private static func isAsTold(_ kind: FaultKind, _ answer: RawAnswer, good: [UInt8]) -> Bool {
    let body = answer.body
    let isCut = body.count < good.count && good.starts(with: body) && !body.isEmpty
    switch kind {
    case .status500, .status502, .status503:
      return answer.status == Int(kind.rawValue.suffix(3)) && answer.text.hasPrefix("<html>")
    case .limitSeconds: return answer.status == 429 && answer["Retry-After"] == "1"
    case .limitDate, .limitPast:
      return answer.status == 429 && answer["Retry-After"]?.hasSuffix(" GMT") == true
    case .limitEpoch: return answer["Retry-After"].flatMap { Int($0) } ?? 0 > 1_000_000_000
    case .limitNone: return answer.status == 429 && answer["Retry-After"] == nil
    case .limitGarbage: return answer.status == 429 && answer["Retry-After"] == "soon"
    case .resetEarly: return answer.raw.isEmpty && answer.ending == .reset
    case .resetMid: return answer.status == 200 && isCut && answer.ending == .reset
    case .closeNow: return answer.raw.isEmpty && answer.ending == .closed
    case .cutLength: return answer["Content-Length"] == String(good.count) && isCut
    case .cutClose: return answer["Content-Length"] == nil && isCut && answer.ending == .closed
    case .cutChunked:
      return answer["Transfer-Encoding"] == "chunked" && !answer.text.hasSuffix("0\r\n\r\n")
    case .cutGzip:
      let whole = Deflate.gzipStored(good)
      return answer["Content-Length"] == String(body.count) && whole.starts(with: body)
        && body.count == whole.count - 12
    case .cutJSON: return answer["Content-Length"] == String(body.count) && isCut
    case .html200:
      return answer.status == 200 && answer["Content-Type"]?.hasPrefix("application/json") == true
        && answer.text.hasPrefix("<html>")
    case .empty200: return answer.status == 200 && answer["Content-Length"] == "0" && body.isEmpty
    case .drip: return answer["Content-Length"] == String(good.count) && isCut
    case .redirectLoop: return answer["Location"] == "/_sandbox/fault/redirect-loop?bytes=1000"
    case .redirectHost: return answer["Location"]?.hasPrefix("http://localhost:") == true
    case .redirectFile: return answer["Location"] == "file:///etc/passwd"
    case .redirectGopher: return answer["Location"]?.hasPrefix("gopher://") == true
    case .badUTF8: return body.contains(0xC3) && body.count == good.count + 2
    case .loneSurrogate: return answer.text.contains("\\ud83d") && body.count == good.count + 6
    case .controlBytes: return body.contains(0) && body.contains(0x1B)
    case .gzipBomb:
      return body.count < 500_000 && Array(body.suffix(4)) == [0, 0, 0, 4]  // 64 MB, little-endian
    case .endless: return body.count > 4 << 20 && answer.ending == .open
    case .hugeHead: return answer.head.utf8.count > 2_000_000
    case .garbage: return answer.raw.first == 0 && answer.status == 0
    case .twoLengths: return answer.values("Content-Length") == ["500", "1000"]
    case .badChunk: return answer.text.hasSuffix("ZZ\r\n")
    case .longBody: return answer["Content-Length"] == "500" && body == good
    case .stallHead: return answer.raw.isEmpty && answer.ending == .silent
    case .stallBody: return isCut && answer.ending == .silent
    case .secondaryRetry:
      return answer.status == 403 && answer["Retry-After"] == "1"
        && answer["X-RateLimit-Remaining"] == nil
    case .secondaryBare:
      return answer.status == 403 && answer["Retry-After"] == nil
        && answer["X-RateLimit-Remaining"] == "4321"
    case .secondaryLimit: return answer.status == 429 && answer["gh-limited-by"] != nil
    case .incompleteResults: return answer.status == 200
    case .giphyMeta: return answer.status == 429 && answer.text.contains("\"meta\"")
    case .giphyMessage: return answer.status == 429 && !answer.text.contains("\"meta\"")
    case .giphyHidden: return answer.status == 200 && answer.text.contains("\"status\":429")
    case .youTubeMinute: return answer.status == 429 && answer.text.contains("1/min/{project}")
    case .youTubeBurst: return answer.status == 403 && !answer.text.contains("details")
    case .youTubeSearches: return answer.status == 403 && answer.text.contains("SearchListPerDay")
    case .youTubeUnits: return answer.status == 429 && answer.text.contains("1/d/{project}")
    case .healthNo: return answer.status == 200 && answer.text == "NO"
    case .healthNewline: return answer.status == 200 && answer.text == " OK \r\n"
    }
  }

  @Test("is on the wire as the help tells it", arguments: FaultKind.allCases)
  func onTheWire(kind: FaultKind) async throws {
    try await withSandbox { sandbox, client in
      var patient = client
      // A stall is told by a wait that ends; a drip and what is endless by a first part.
      patient.waitSeconds = [.stallHead, .stallBody].contains(kind) ? 1 : 300
      patient.bytesMax = kind == .drip ? 300 : kind == .endless ? 5 << 20 : 64 << 20
      let answer = try await patient.get("/_sandbox/fault/\(kind.rawValue)?bytes=1000")
      #expect(Self.isAsTold(kind, answer, good: ControlPaths.sample(1000)), "\(answer.head)")
      // A client that looks neither at the status, nor at the end, nor at the length gets nothing
      // whole: that is what makes it a fault.
      let naive = answer.status == 200 ? answer.believed : []
      let isHarmless = [.incompleteResults].contains(kind)
      #expect(isHarmless || naive != ControlPaths.sample(1000))
      let logged = sandbox.requests().map(\.outcome)
      #expect(logged == [kind.rawValue])
    }
  }

  @Test("cuts where it is asked to", arguments: ["cut-length", "cut-close", "cut-json"])
  func cutPlaces(kind: String) async throws {
    try await withSandbox { _, client in
      for place in [0, 1, 17, 998, 999, 5000] {
        let answer = try await client.get("/_sandbox/fault/\(kind)?bytes=1000&at=\(place)")
        let least = kind == "cut-json" ? 1 : 0
        #expect(answer.body.count == max(least, min(999, place)))
      }
    }
  }

  @Test("meets the share of the requests that was asked for, the same ones for the same seed")
  func shares() async throws {
    let faults = try FaultSpec(parsing: "status500=10%,429-seconds=0.05,reset-early=0.05")
    var runs: [[String]] = []
    for seed: UInt64 in [7, 7, 8] {
      let outcomes = try await withSandbox(
        options {
          $0.faults = faults
          $0.seed = seed
        }
      ) { sandbox, client in
        for _ in 0..<400 { _ = try await client.get("/github/rate_limit") }
        return sandbox.requests().map(\.outcome)
      }
      runs.append(outcomes)
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
    // 80 of 400 are expected; six standard deviations are 48.
    #expect((32...128).contains(runs[0].filter { $0 != "answered" }.count))
    #expect(Set(runs[0]) == ["answered", "status500", "429-seconds", "reset-early"])
  }

  @Test("passes when the request is repeated: a client that asks again gets the whole list")
  func repeating() async throws {
    let faults = try FaultSpec(parsing: "plain=30%")
    try await withSandbox(options(.demo) { $0.faults = faults }) { sandbox, client in
      var next: String? = "/github/users/octocat/followers?per_page=100"
      var ids: [String] = []
      var tries = 0
      while let target = next, tries < 200 {
        tries += 1
        let answer = try await client.get(target, ["Authorization: Bearer x"])
        let length = answer["Content-Length"].flatMap { Int($0) }
        guard answer.status == 200, answer.values("Content-Length").count == 1,
          answer.body.count == length, answer["Content-Encoding"] == nil,
          let page = try? JSONDocument.read(answer.body).root, page.isArray
        else { continue }
        ids += try GitHubWalk.ids(answer)
        next = GitHubWalk.next(answer).map { String($0.dropFirst(sandbox.origin.utf8.count)) }
      }
      #expect(ids == sandbox.truth("github")?.list("followers", of: "octocat")?.keys)
      #expect(tries > 9)
    }
  }

  @Test("can be armed for one request: the second page of followers, twice")
  func armed() async throws {
    try await withSandbox { sandbox, client in
      sandbox.arm(ArmedFault(.status503, target: "&page=2", count: 2))
      let control = "/_sandbox/arm?fault=429-none&target=/users/octocat?x&skip=1"
      _ = try await client.get(control)
      let path = "/github/users/octocat/followers?per_page=10"
      var statuses: [Int] = []
      for target in [
        path, path + "&page=2", path + "&page=2", path + "&page=2", "/github/users/octocat?x",
        "/github/users/octocat?x", "/github/users/octocat?x",
      ] {
        statuses.append(try await client.get(target).status)
      }
      #expect(statuses == [200, 503, 503, 200, 200, 429, 200])
      sandbox.arm(ArmedFault(.status500))
      _ = try await client.get("/_sandbox/disarm")
      #expect(try await client.get(path).status == 200)
      #expect(try await client.get("/_sandbox/arm?fault=none").status == 404)
    }
  }

  @Test("never hits the control paths, and no status answer of 304")
  func spared() async throws {
    let faults = try FaultSpec(parsing: "cut-length=1")
    try await withSandbox(options { $0.faults = faults }) { sandbox, client in
      let truth = try await client.get("/_sandbox/truth?api=media")
      #expect(truth.body.count == truth["Content-Length"].flatMap { Int($0) })
      let hit = try await client.get("/media/same/a.png")
      let tag = try #require(hit["ETag"])
      #expect(hit.body.count < hit["Content-Length"].flatMap { Int($0) } ?? 0)
      let same = try await client.get("/media/same/a.png", ["If-None-Match: \(tag)"])
      #expect(same.status == 304)
      #expect(sandbox.requests(api: "media").map(\.outcome) == ["cut-length", "answered"])
    }
  }

  @Test("in a text leaves the rest of the answer whole", arguments: ["bad-utf8", "lone-surrogate"])
  func oneField(kind: String) async throws {
    let faults = try FaultSpec(parsing: "\(kind)=1")
    try await withSandbox(options { $0.faults = faults }) { sandbox, client in
      let answer = try await client.get("/github/users/octocat/followers")
      let ids = try GitHubWalk.ids(answer)
      #expect(
        ids == sandbox.truth("github")?.list("followers", of: "octocat")?.keys.prefix(30).map { $0 }
      )
      #expect(try answer.json().document.notes.repairedStrings == 1)
    }
  }

  @Test("that redirects to another name shows whether a credential went along")
  func otherOrigin() async throws {
    let faults = try FaultSpec(parsing: "redirect-host=1")
    try await withSandbox(options { $0.faults = faults }) { sandbox, client in
      let answer = try await client.get("/github/users/octocat", ["Authorization: Bearer x"])
      let location = try #require(answer["Location"])
      #expect(location == "http://localhost:\(sandbox.port)/github/users/octocat")
      // A naive client takes its headers along, and the log tells.
      _ = try await client.send(
        "GET /github/users/octocat HTTP/1.1\r\nHost: localhost:\(sandbox.port)\r\n"
          + "\(RawClient.agent)\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n")
      let followed = try #require(sandbox.requests().last)
      #expect(followed.host == "localhost:\(sandbox.port)")
      #expect(followed.headerNames.contains("Authorization"))
    }
  }

  @Test(
    "that cannot be meant is refused with a hint",
    arguments: [
      ("status50=1", "did you mean \"status500\""), ("drip", "is not KIND=SHARE"),
      ("drip=much", "no number"), ("drip=2", "must lie in 0...1"), ("drip=-1", "0...1"),
      ("drip=0.6,endless=0.6", "more than 1"), ("plain=1.5", "0...1"),
      ("qwertyuiop=1", "--help lists them"), ("drip=nan", "no number"),
    ])
  func problems(text: String, hint: String) {
    let problem = #expect(throws: FaultSpec.Problem.self) { try FaultSpec(parsing: text) }
    #expect(problem?.description.contains(hint) == true, "\(problem?.description ?? "")")
  }
}
