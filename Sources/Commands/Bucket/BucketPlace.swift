internal import Glibc
internal import Base
internal import Bucket
internal import Jobs
internal import Transport

/// `s3://bucket/path` as a data folder, and all that is needed to reach it.
struct BucketPlace: Sendable {
  /// As the user wrote it.
  let shown: String
  let store: S3Store
  let folder: BucketFolder
  /// Its folder on this machine.
  let cache: String
  let lease: Duration

  static let scheme = "s3://"

  /// Nil: the data folder is on this machine.
  init?(_ context: CommandContext) throws {
    let environment = context.environment
    guard let text = context.invocation.text(.data) ?? environment("TRAWL_DATA"),
      text.hasPrefix(Self.scheme)
    else { return nil }
    var shown = text
    while shown.hasSuffix("/"), shown.utf8.count > Self.scheme.utf8.count { shown.removeLast() }
    self.shown = shown
    let (bucket, path) = try Self.parts(shown)
    if context.invocation.text(.ledger) != nil || environment("TRAWL_LEDGER") != nil {
      throw ExitReport(
        .usage,
        "the ledger travels with the folder in the bucket: leave out --ledger and TRAWL_LEDGER",
        "two folders of one bucket never spend the same key at the same time")
    }
    let key: BucketKey
    do throws(SecretKeepingProblem) {
      key = try BucketKey.find(environment: { environment($0) })
    } catch {
      throw ExitReport(.secret, "\(error); nothing was requested")
    }
    lease = try Self.lease(environment)
    let endpoint = environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL")
    let region = environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION") ?? "us-east-1"
    let address: S3Address
    do throws(StoreFailure) {
      address = try S3Address(bucket: bucket, endpoint: endpoint, region: region)
    } catch {
      throw ExitReport(.configuration, "\(error)", "it is AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL")
    }
    let file = context.invocation.text(.ca)
    let issuers = TrustedIssuers(
      option: file ?? environment("AWS_CA_BUNDLE"), from: file == nil ? "AWS_CA_BUNDLE" : "--ca",
      environment: { environment($0) })
    do {
      store = try S3Store(
        address, S3Key(id: key.id, secret: key.secret, session: key.session), keyPlace: key.place,
        issuers: issuers, patience: min(.seconds(10), max(.seconds(2), lease / 6)),
        time: context.time)
    } catch {
      throw ExitReport(.configuration, "\(error); nothing was requested")
    }
    folder = BucketFolder(store, path: path)
    let where_ = Hexadecimal.text(SHA256.of(Array("\(endpoint ?? region) \(shown)".utf8)).prefix(6))
    cache = "\(try Self.caches(environment))/\(bucket)-\(where_)"
  }

  private static func parts(_ text: String) throws(ExitReport) -> (String, String) {
    let rest = text.dropFirst(scheme.utf8.count)
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let bucket = parts[0]
    let isName =
      (3...63).contains(bucket.utf8.count)
      && bucket.utf8.allSatisfy {
        (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46
      }
    guard isName, parts.dropFirst().allSatisfy({ !["", ".", ".."].contains($0) }),
      !rest.utf8.contains(where: { $0 < 32 || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
    else {
      // Not repeated, as it may hold a key.
      throw ExitReport(.usage, "not a folder in a bucket, such as s3://bucket/path")
    }
    return (bucket, parts.dropFirst().joined(separator: "/"))
  }

  private static func lease(_ environment: Environment) throws(ExitReport) -> Duration {
    guard let text = environment("TRAWL_LEASE") else { return Lease.lengthDefault }
    guard let seconds = Int(text), (2...3600).contains(seconds) else {
      throw ExitReport(.configuration, "TRAWL_LEASE is a number of seconds from 2 to 3600")
    }
    return .seconds(seconds)
  }

  private static func caches(_ environment: Environment) throws(ExitReport) -> String {
    // systemd separates several by colons; our unit declares one.
    if let given = environment("CACHE_DIRECTORY")?.split(separator: ":").first {
      return String(given)
    }
    if let own = environment("XDG_CACHE_HOME") { return "\(own)/trawl" }
    if let home = environment("HOME") { return "\(home)/.cache/trawl" }
    throw ExitReport(
      .configuration, "there is no HOME to keep a cache of \(scheme) in: set CACHE_DIRECTORY")
  }

  /// This machine's name, for other workers.
  var name: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
  }

  /// A folder's error as users see it.
  func report(_ error: BucketError) -> ExitReport {
    switch error {
    case .store(let failure):
      switch failure.kind {
      case .secret: return ExitReport(.secret, "\(failure)")
      case .unreachable: return ExitReport(.unreachable, "\(failure)")
      case .full: return ExitReport(.cannotWrite, "\(failure)")
      case .configuration: return ExitReport(.configuration, "\(failure)")
      }
    case .held(let other, let until):
      let end = until.map { ", until \($0) if it does not renew that" } ?? ""
      return ExitReport(
        .paused, "\(shown) is held by \(other)\(end)",
        "run it again later, or wait for longer with --claim-wait")
    case .fenced(let other):
      let who = other.isEmpty ? "its lease could not be renewed in time" : "\(other) has it now"
      return ExitReport(.paused, "the claim on \(shown) is lost: \(who)")
    case .headless:
      let isHere = access("\(cache)/work/\(Claim.database)", F_OK) == 0
      return ExitReport(
        .damaged,
        lines: [
          "\(shown): its object head is gone; nothing more is written there",
          "bring it back, if the store keeps versions; else look at the other machines, since one may hold more of it, and begin anew: remove \(shown)/pieces/trawl.db and pieces/ledger.db with all below them, and move \(cache) elsewhere",
        ]
          + (isHere
            ? ["what this machine has of it is in work/\(Claim.database) there: trawl restore FILE"]
            : []))
    case .newer(let format):
      return ExitReport(
        .damaged, "\(shown) was written by a newer Trawl (format \(format)): nothing was changed")
    case .damaged(let what): return ExitReport(.damaged, "\(shown): \(what)")
    case .noClock:
      return ExitReport(
        .configuration, "the store of \(shown) answers without a date: a lease cannot be kept there"
      )
    case .unsound:
      return ExitReport(
        .configuration,
        "the store of \(shown) takes writes whose condition does not hold: two machines would both write there",
        "what it does: trawl check --data \(shown)")
    case .disk(let path, let why):
      return ExitReport(
        .cannotWrite, "the cache \(path) cannot be kept: \(why)",
        "keep it elsewhere with CACHE_DIRECTORY, or remove \(cache) while nothing runs: what \(shown) has is fetched again, and what was not uploaded is lost"
      )
    }
  }

  /// Runs blocking work on threads that may block.
  func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws(BucketError) -> Value
  ) async throws -> Value {
    let result = await Task.detached(executorPreference: CommandThreads.shared) {
      Result { () throws(BucketError) in try work() }
    }.value
    do { return try result.get() } catch { throw report(error) }
  }
}
