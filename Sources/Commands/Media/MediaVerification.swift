internal import Base
internal import Crawl
internal import Media
internal import Store

/// `trawl media verify`: every file of a row must exist, be whole, and have its own SHA-256 as its name. Bad ones are
/// set aside and fetched again.
struct MediaVerification: Sendable {
  let context: CommandContext

  private struct Tally {
    var files = 0
    var read = 0
    var bytes = 0
    var found = 0
    var mended = 0
    var lost = 0
    var strays = 0
    var foreign = 0
    var folders = 0
  }

  func perform() async throws -> ExitStatus {
    let place = try await MediaPlace(context, for: .writing)
    return try await context.use(place.store) {
      try await context.asking { try await verify(place, $0) }
    }
  }

  private func verify(_ place: MediaPlace, _ requester: Requester) async throws -> ExitStatus {
    guard let content = place.content else { return .complete }
    let jobs = try await KnownFiles.jobs(of: place.store, context.environment)
    let mending = ImageMending(
      requester: requester, content: content, store: place.store,
      allowsLoopback: context.invocation.has(.allowLoopback)
    ) { name in
      // If the job file is gone, only public addresses are requested.
      jobs.first { $0.name == name }?.media ?? MediaSettings()
    }
    let sample = sample()
    let gone = Set(try await place.store.missingFiles())
    var tally = Tally()
    for byte in UInt8.min...UInt8.max {
      if context.interruption?.isAsked ?? false { break }
      let images = try await place.store.storedImages(inFolder: byte).compactMap { StoredImage($0) }
      // Of newer ones a run may be about to write the row.
      let limit = context.time.now() - MediaCollection.grace
      let check = try await content.perform { store throws(MediaError) in
        try store.check(
          folder: byte, expecting: images, sample: sample.sample, strayBefore: limit)
      }
      let bad = Set(check.findings.compactMap { $0.image?.digest.hex })
      try await place.store.noteFound(
        images.map(\.digest.hex).filter { gone.contains($0) && !bad.contains($0) })
      tally.files += images.count
      tally.read += check.filesRead
      tally.bytes += check.bytesRead
      for finding in check.findings {
        if context.interruption?.isAsked ?? false { break }
        try await treat(finding, content, mending, &tally)
      }
      tally.folders += 1
    }
    conclude(tally, sample.words)
    return tally.found > 0 ? .found : .complete
  }

  /// A different part each day, so that a daily timer reads every file within N days.
  private func sample() -> (sample: StoreSample, words: String) {
    let (part, count) = context.invocation.share(.sample) ?? (1, 1)
    let day = Int(context.time.now().seconds / 86_400)
    let today = (part - 1 + day % count) % count + 1
    return (StoreSample(part: today, of: count), count == 1 ? "" : " (part \(today) of \(count))")
  }

  private func treat(
    _ finding: MediaFinding, _ content: ContentStore, _ mending: ImageMending, _ tally: inout Tally
  ) async throws {
    if finding.kind == .stray {
      tally.strays += 1
      return tell(finding, "left", "trawl media gc removes it")
    }
    if finding.kind == .foreign {
      tally.foreign += 1
      return tell(finding, "left", "it is not Trawl's, and stays")
    }
    tally.found += 1
    guard let image = finding.image else {
      try await content.perform { store throws(MediaError) in try store.mend(finding) }
      tally.mended += 1
      return tell(finding, "mended", "set aside")
    }
    let aside = finding.kind == .missing ? "" : "set aside, "
    switch try await mending.mend(image, isMissing: finding.kind == .missing) {
    case .mended:
      tally.mended += 1
      tell(finding, "mended", "\(aside)downloaded again; the digest matches")
    case .stopped: tell(finding, "left", "stopped by a signal")
    case .lost(let why):
      try await content.perform { store throws(MediaError) in try store.mend(finding) }
      tally.lost += 1
      tell(finding, "lost", "\(aside)not to be had now: \(why)")
    }
  }

  private func tell(_ finding: MediaFinding, _ outcome: String, _ words: String) {
    guard context.invocation.has(.json) else {
      // Strays are counted at the end.
      if outcome == "left", finding.kind != .foreign { return }
      context.console.print("\(finding): \(words)")
      return
    }
    context.console.printJSON([
      "path": finding.path, "kind": finding.kind.rawValue, "detail": finding.detail,
      "outcome": outcome, "message": words,
    ])
  }

  private func conclude(_ tally: Tally, _ part: String) {
    if context.invocation.has(.json) {
      return context.console.printJSON([
        "files": tally.files, "read": tally.read, "bytes": tally.bytes, "found": tally.found,
        "mended": tally.mended, "lost": tally.lost, "strays": tally.strays,
        "foreign": tally.foreign,
      ])
    }
    let files = Wording.count(tally.files, "file")
    let read =
      part.isEmpty && tally.found == 0
      ? "\(Wording.bytes(tally.bytes)) read"
      : "\(Wording.number(tally.read)) read\(part), \(Wording.bytes(tally.bytes))"
    let verdict =
      tally.found == 0
      ? "each is named by its own SHA-256"
      : "\(Wording.number(tally.found)) not as they should be: \(Wording.number(tally.mended)) "
        + "mended, \(Wording.number(tally.lost)) lost"
    context.console.print("\(files), \(read): \(verdict)")
    if tally.lost > 0 {
      let advice = context.console.advice("trawl reset waits JOB")
      context.console.print(
        "the next run fetches what their servers have now; refused ones wait (\(advice))")
    }
    if tally.strays > 0 {
      let advice = context.console.advice("trawl media gc")
      context.console.print(
        "\(Wording.count(tally.strays, "file")) more that no record names: \(advice)")
    }
    if tally.folders < 256 {
      context.console.tell("stopped by a signal after \(tally.folders) of 256 folders", .warning)
    }
  }
}
