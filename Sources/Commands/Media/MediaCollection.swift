internal import Base
internal import Crawl
internal import Media
internal import Store

/// `trawl media gc`: removes files that no live or favorite record refers to.
struct MediaCollection: Sendable {
  let context: CommandContext

  private struct Tally {
    var files = 0
    var bytes = 0
    var urls = 0
    /// Files without a row: a run was killed between the two.
    var strays = 0
    /// Found to be needed meanwhile.
    var kept = 0
    /// Not needed, but for less than the grace period.
    var waiting = 0
  }

  private var isRehearsal: Bool { context.invocation.has(.dryRun) }

  func perform() async throws -> ExitStatus {
    let place = try await MediaPlace(context, for: isRehearsal ? .reading : .writing)
    let tally = try await context.use(place.store) {
      try await isRehearsal ? rehearse(place) : collect(place)
    }
    conclude(tally)
    return .complete
  }

  /// Unless `--grace` names another.
  static let grace = Duration.seconds(7 * 86_400)

  private var limit: Instant {
    context.time.now() - (context.invocation.duration(.grace) ?? Self.grace)
  }

  private func rehearse(_ place: MediaPlace) async throws -> Tally {
    var tally = Tally()
    let limit = limit
    let found = try await place.store.collectableImages(before: limit)
    tally.urls = found.urls
    tally.waiting = found.waiting
    for row in found.images { note(row.path, row.size, isStray: false, &tally) }
    guard let content = place.content else { return tally }
    try await eachStray(place, content, olderThan: limit) { strays in
      for image in strays { note(image.path, image.byteCount, isStray: true, &tally) }
    }
    return tally
  }

  /// Takes every job's lock first: no run may refer to a file while it is removed.
  private func collect(_ place: MediaPlace) async throws -> Tally {
    try SystemRuns(context: context).refuseReadOnly(place.folder)
    var turns: [JobLock] = []
    for job in try await place.store.jobs() {
      turns.append(try await JobTurn(context: context).take(job.job, in: place.folder))
    }
    defer { withExtendedLifetime(turns) {} }
    guard let content = place.content else { return Tally() }
    var tally = Tally()
    let limit = limit
    let found = try await place.store.collectImages(before: limit)
    tally.urls = found.urls
    tally.waiting = found.waiting
    // Else a kill could leave a head whose rows name pictures that are gone.
    try await context.bucket?.keep()
    try await remove(found.images.compactMap { StoredImage($0) }, limit, content, false, &tally)
    try await eachStray(place, content, olderThan: limit) { strays in
      try await remove(strays, limit, content, true, &tally)
    }
    _ = try await content.perform { store throws(MediaError) in try store.sweep() }
    return tally
  }

  private func eachStray(
    _ place: MediaPlace, _ content: ContentStore, olderThan limit: Instant,
    _ body: ([StoredImage]) async throws -> Void
  ) async throws {
    for byte in UInt8.min...UInt8.max {
      let images = try await place.store.storedImages(inFolder: byte).compactMap { StoredImage($0) }
      let strays = try await content.perform { store throws(MediaError) in
        try store.strays(folder: byte, beside: images, olderThan: limit)
      }
      if !strays.isEmpty { try await body(strays) }
    }
  }

  private func remove(
    _ images: [StoredImage], _ limit: Instant, _ content: ContentStore, _ isStray: Bool,
    _ tally: inout Tally
  ) async throws {
    for image in images {
      let deletion = try await content.perform { store throws(MediaError) in
        try store.delete([image], unlessTouchedSince: limit)
      }
      tally.kept += deletion.kept
      if deletion.deleted > 0 { note(image.path, deletion.bytes, isStray: isStray, &tally) }
    }
  }

  // MARK: words

  private func note(_ path: String, _ bytes: Int, isStray: Bool, _ tally: inout Tally) {
    tally.files += 1
    tally.bytes += bytes
    if isStray { tally.strays += 1 }
    if context.invocation.has(.json) {
      context.console.printJSON([
        "path": path, "bytes": bytes,
        "why": isStray ? "no row names it" : "no record points to it", "removed": !isRehearsal,
      ])
    } else if isRehearsal {
      context.console.print("\(path)")
    }
  }

  private func conclude(_ tally: Tally) {
    if context.invocation.has(.json) {
      return context.console.printJSON([
        "files": tally.files, "bytes": tally.bytes, "urls": tally.urls, "strays": tally.strays,
        "kept": tally.kept, "waiting": tally.waiting, "removed": !isRehearsal,
      ])
    }
    guard tally.files > 0 else {
      guard tally.waiting > 0 else {
        return context.console.print("nothing to remove: each file is needed, or too young")
      }
      let waiting = Wording.count(tally.waiting, "file")
      return context.console.print(
        "nothing to remove yet: no record needs \(waiting), but the grace is not over")
    }
    let verb = isRehearsal ? "would be removed" : "removed"
    var line = "\(Wording.count(tally.files, "file")), \(Wording.bytes(tally.bytes)), \(verb): "
    line += "no live record and no favorite points to \(tally.files == 1 ? "it" : "them")"
    if tally.kept > 0 { line += "; \(Wording.number(tally.kept)) kept, found again meanwhile" }
    context.console.print(ConsoleText(line))
  }
}
