import Base
import SandboxKit
import TestSupport
import Testing

/// A machine that works on a folder in a bucket, and shares nothing with another one.
struct Machine {
  static let data = "s3://acme/team/github"

  let home = Home()
  var environment: [String: String]

  init(_ server: BucketServer, lease: Int = 3) {
    environment = server.environment
    environment["XDG_CACHE_HOME"] = "\(home.scratch.path)/cache"
    environment["TRAWL_LEASE"] = "\(lease)"
  }

  @discardableResult
  func run(
    _ arguments: [String], ends status: Int32? = nil, saying: String..., showing: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    let ended = await home.start(arguments + ["--data", Self.data], environment).end()
    ended.expect(status, saying: saying, showing: showing, at: sourceLocation)
    return ended
  }

  /// Starts a run of a job.
  func start(_ sandbox: Sandbox, _ more: [String] = [], job: String = "github") -> BinaryRun {
    let endpoint = ["--endpoint", sandbox.endpoint(for: "github")]
    return home.start(["run", job] + endpoint + ["--data", Self.data] + more, environment)
  }

  @discardableResult
  func sync(
    _ sandbox: Sandbox, _ more: [String] = [], job: String = "github", ends status: Int32,
    saying: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> BinaryRun.Ended {
    let ended = await start(sandbox, more, job: job).end()
    ended.expect(status, saying: saying, at: sourceLocation)
    return ended
  }

  func rows(_ sql: String) async -> [String] {
    let ended = await run(["sql", "--csv", sql], ends: 0)
    return ended.output.split(separator: "\n").dropFirst().map(String.init)
  }

  /// The database as a reader on this machine finds it.
  func tables() async -> Tables {
    let path = await run(["path"], ends: 0)
    return Tables(path: path.output.split(separator: "\n").last.map(String.init) ?? "")
  }

  /// By the program, and by the checker that shares no code with it.
  func prove() async {
    await run(["prove"], ends: 0)
    await home.expectDerived(tables().path)
  }

  /// Its folder for the one in the bucket.
  var cache: String {
    let all = "\(home.scratch.path)/cache/trawl"
    return "\(all)/\(FolderNames.all(of: all).first ?? "")"
  }
}
