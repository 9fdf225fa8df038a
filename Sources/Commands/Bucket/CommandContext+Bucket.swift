internal import Base
internal import Bucket
internal import Crawl

/// What a command does with its folder: decides how a bucket is used.
enum FolderUse: Sendable {
  /// The folder is not needed.
  case none
  case reads(files: Bool)
  case writes
  case refused(String)
}

extension Timekeeper {
  /// A clock that all machines of a folder share; a few seconds' difference is an answer's travel time.
  fileprivate func going(by ahead: Duration) -> Timekeeper {
    guard ahead > .seconds(5) || ahead < .seconds(-5) else { return self }
    var keeper = self
    keeper.now = { [now] in now() + ahead }
    return keeper
  }
}

extension FolderUse {
  init(_ invocation: Invocation) {
    let isDry = invocation.has(.dryRun)
    switch (invocation.command, invocation.action) {
    // A run claims by itself, once its jobs are found valid.
    case (.run, _), (.backfill, _): self = isDry ? .reads(files: false) : .none
    case (.new, _), (.help, _), (.version, _): self = .none
    case (.backup, _) where invocation.has(.media), (.restore, _) where invocation.has(.media):
      self = .refused(
        "the pictures of a folder in a bucket stay there, each under its digest: leave out --media")
    case (.report, _): self = .reads(files: true)
    case (.status, _): self = invocation.has(.alert) ? .writes : .reads(files: false)
    case (.sql, _), (.search, _), (.why, _), (.mcp, _), (.path, _), (.prove, _), (.backup, _),
      (.favorite, "list"):
      self = .reads(files: false)
    case (.media, "path"): self = .reads(files: false)
    // Their requests are counted.
    case (.check, _):
      let sendsNone = invocation.has(.offline) || invocation.has(.show)
      self = invocation.operands.isEmpty ? .none : sendsNone ? .reads(files: false) : .writes
    case (.attempt, _): self = invocation.has(.replay) ? .none : .writes
    case (.favorite, _), (.forget, _), (.reset, _), (.media, _), (.restore, _), (.key, _):
      self = isDry ? .reads(files: false) : .writes
    }
  }
}

extension CommandContext {
  /// Reports what was done, in a bucket once the bucket holds it.
  func tellDone(_ telling: @escaping @Sendable () -> Void) {
    if let bucket { bucket.hold(telling) } else { telling() }
  }

  /// Runs the command on a local folder: the user's own, or the cache of a bucket.
  func inFolder(
    for use: FolderUse, _ body: @Sendable (CommandContext) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    if case .none = use { return try await body(self) }
    guard bucket == nil, let place = try BucketPlace(self) else { return try await body(self) }
    switch use {
    case .none: return try await body(self)
    case .refused(let why): throw ExitReport(.usage, why)
    case .reads(let files):
      let cache = ReadCache(place.folder, cache: place.cache)
      let version = try await place.blocking { () throws(BucketError) in
        try cache.refresh(wantsFiles: files)
      }
      defer { withExtendedLifetime(version) {} }
      var context = at(version?.path ?? "\(place.cache)/read/.none", place)
      context.holder = version?.holder
      return try await body(context)
    case .writes: return try await inClaimed(place) { context, _ in try await body(context) }
    }
  }

  /// The same for runs: claims the jobs' keys with the folder, and puts while they write.
  func inFolder(
    for jobs: [JobSelection], _ body: @Sendable (CommandContext) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    guard let place = try BucketPlace(self) else { return try await body(self) }
    for job in jobs { try Self.refuse(job) }
    return try await inClaimed(place) { context, session in
      for job in jobs { try await context.takeKey(of: job, session) }
      session.beginPutting()
      return try await body(context)
    }
  }

  /// Refuses options that cannot work in a bucket.
  private static func refuse(_ selection: JobSelection) throws(ExitReport) {
    let job = selection.job
    if selection.recording != nil {
      throw ExitReport(
        .usage, "--replay writes old answers: choose a folder of this machine with --data DIR"
      )
    }
    if job.authentication?.all.contains(where: { $0.token?.rotation != nil }) ?? false {
      throw ExitReport(
        .configuration,
        "the secret of \(job.name) rotates, so it stays on one machine: another would use one that is no longer valid",
        "keep its data in a folder of this machine: --data DIR")
    }
    if let target = job.publish, !target.hasPrefix("/") {
      throw ExitReport(
        .configuration, "\(job.name) publishes to \(target), which would lie in the cache",
        "give publish an absolute path")
    }
  }

  /// The same command line on a local folder.
  private func at(
    _ folder: String, _ place: BucketPlace, isWritten: Bool = false
  ) -> CommandContext {
    var context = self
    context.images = BucketImages(place: place)
    context.invocation = invocation.with(data: folder)
    // Errors with files that are written are errors of this machine.
    console.name(folder, as: place.shown, withFiles: !isWritten)
    return context
  }

  private func inClaimed(
    _ place: BucketPlace, _ body: (CommandContext, BucketSession) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    // Fetching a large folder takes longer than the watchdog waits.
    let service = ServiceReporter(environment)
    service?.tick(at: time.now())
    let claim = try await claim(place) { [time] in
      service?.progress()
      service?.tick(at: time.now())
    }
    let session = BucketSession(
      place, claim, time, isHurried: { [interruption] in interruption?.isAsked ?? false })
    session.begin()
    var context = at("\(place.cache)/work", place, isWritten: true)
    context.bucket = session
    context.time = time.going(by: claim.clockAhead)
    if context.time.now() - time.now() > .seconds(60)
      || time.now() - context.time.now() > .seconds(60)
    {
      mention("this machine's clock is wrong, or that of \(place.shown): the times are the store's")
    }
    let status: ExitStatus
    do {
      try await place.blocking { () throws(BucketError) in
        if claim.isFirst {
          try claim.restore()
          try claim.fetchFiles()
        }
        try claim.share()
      }
      if !claim.torn.isEmpty {
        context.console.warn(
          "objects of \(place.shown) were missing, so this machine uploads everything again: does a lifecycle rule of the bucket delete them?"
        )
      }
      if claim.hasDiscarded {
        context.console.warn(
          "what earlier commands of this machine wrote and did not upload to \(place.shown) is discarded: the folder goes on from what is there"
        )
      }
      if let path = claim.setAside {
        context.console.warn(
          "\(place.shown) was begun anew, or put back, since this machine last used it: what this machine had of it is in \(path)"
        )
      }
      status = try await body(context, session)
    } catch {
      let told = error as? ExitReport ?? ExitReport(error)
      // The first error is the one reported.
      try? await session.end(isDamaged: told?.status == .damaged && claim.lost != .headless)
      throw error
    }
    BucketFolder.trimPictures("\(place.cache)/work/media", to: BucketImages.cacheBytesMax)
    let wasLive = session.isLive
    let isToldLost = session.isToldLost
    do {
      try await session.end(isDamaged: status == .damaged && claim.lost != .headless)
    } catch {
      if isToldLost { return status }
      throw error
    }
    if !wasLive, !isToldLost {
      throw ExitReport(
        .paused,
        "the lease on \(place.shown) could not be renewed in time, and no more was requested",
        "what was stored is put; the same command resumes")
    }
    return status
  }

  /// At once, or when another machine has released it or its lease has ended.
  private func claim(
    _ place: BucketPlace, onWork: @escaping @Sendable () -> Void
  ) async throws -> Claim {
    let settings = Claim.Settings(
      cache: place.cache, name: place.name, lease: place.lease, time: time, onWork: onWork)
    let end = time.elapsed() + (invocation.duration(.claimWait) ?? .seconds(300))
    var hasTold = false
    while true {
      let taken = await Task.detached(executorPreference: CommandThreads.shared) {
        Result { () throws(BucketError) in try Claim.take(place.folder, settings) }
      }.value
      switch taken {
      case .success(let claim): return claim
      case .failure(.held(let other, let until)):
        guard time.elapsed() < end else { throw place.report(.held(by: other, until: until)) }
        if interruption?.isAsked ?? false {
          throw ExitReport(.paused, "stopped by a signal while waiting for \(place.shown)")
        }
        if !hasTold {
          hasTold = true
          mention("waiting for \(place.shown), held by \(other)")
        }
        try await Timekeeper.live.sleep(min(.seconds(1), place.lease / 6))
      case .failure(let error): throw place.report(error)
      }
    }
  }

  /// Takes the key of a job's API: no other folder of the bucket may use it, and earlier use by one is counted here.
  private func takeKey(of selection: JobSelection, _ session: BucketSession) async throws {
    let (place, claim) = (session.place, session.claim)
    let (origin, account) = (selection.job.base.origin.description, selection.account)
    let turn = try await place.blocking { () throws(BucketError) in try claim.lockKeys() }
    defer { withExtendedLifetime(turn) {} }
    let path = try await place.blocking { () throws(BucketError) -> String?? in
      guard let former = try claim.take(key: origin, account) else { return nil }
      return .some(try claim.fetchLedger(of: former))
    }
    guard let path else { return }
    if let path {
      // Blocks that were reserved there and not used count as spent.
      let other = TravellingLedger(claim: "of another folder") {}
      await (try QuotaLedger.open(file: path, timekeeper: time, travelling: other)).close()
      if let image = try await LedgerReading.image(of: path) {
        let own = try await QuotaLedger.open(file: locationForWriting().ledger, timekeeper: time)
        _ = try await closing({ await own.close() }) {
          try await own.take(from: image, of: (origin, account))
        }
      }
    }
    // Once this is put, that folder need not be read again.
    try await place.blocking { () throws(BucketError) in
      _ = try claim.put([Claim.ledger])
      try claim.noteCounted(key: origin, account)
    }
  }
}
