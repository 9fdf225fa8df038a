internal import Base
internal import Walk

/// Records what passes through the two seams: every exchange, and every sleep with the instant of its end. The run
/// itself is unchanged, except that it does one thing at a time.
final class Recorder: Exchange {
  private let inner: any Exchange
  private let live: Timekeeper
  private let file: RecordingFile
  private let credential: Credential?
  private let clock: SteppedClock
  private let began: Duration

  /// What the first line says of the run, besides its instant and seed.
  struct Heading: Sendable, Equatable {
    var job: String
    var base: String
    var command: String
    var arguments: [String]
    /// Some quotas are larger with a key; the key itself is not recorded.
    var hasKey: Bool
    var at = Instant(milliseconds: 0)
    var seed = ""
  }

  init(
    _ inner: any Exchange, live: Timekeeper, file: RecordingFile, credential: Credential?,
    heading: Heading
  ) {
    self.inner = inner
    self.live = live
    self.file = file
    self.credential = credential
    let screen = Self.screen(credential)
    let seed = live.random()
    var heading = heading
    (heading.at, heading.seed) = (live.now(), String(seed))
    heading.arguments = heading.arguments.map { screen.clean($0) }
    clock = SteppedClock(at: heading.at, seed: seed)
    began = live.elapsed()
    var line = JSONWriter()
    heading.write(to: &line)
    file.append(line)
  }

  /// Screens even short keys: a chance match in a recording does no harm.
  private static func screen(_ credential: Credential?, _ seen: SeenSecrets? = nil) -> SecretScreen
  {
    SecretScreen(credential, seen: seen, bytesMin: 1)
  }

  var timekeeper: Timekeeper {
    clock.timekeeper { [self] span in
      try await live.sleep(span)
      let reading = step()
      var line = JSONWriter()
      line.object { line in
        line.member("sleep", span.milliseconds)
        RecordedShapes.reading.writeMembers(of: reading, to: &line)
      }
      file.append(line)
    }
  }

  private func step() -> SteppedClock.Reading {
    // Whole milliseconds, as in the file.
    let elapsed = Duration.milliseconds((live.elapsed() - began).milliseconds)
    let reading = SteppedClock.Reading(now: live.now(), elapsed: elapsed)
    clock.move(to: reading)
    return reading
  }

  // MARK: exchanges

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let copy = sink.map { CopyingSink($0) }
    do {
      let answer = try await inner.send(request, into: copy)
      let shown = request.token.map { TokenAnswer.standIn(for: answer, to: $0) } ?? answer
      write(request, step()) { line, number, screen in
        line.object("answer") { line in
          RecordedShapes.answer.writeMembers(of: screen.clean(shown), to: &line)
          let body = copy?.bytes ?? []
          write(body: body.isEmpty ? shown.body : body, number, screen, to: &line)
        }
      }
      return answer
    } catch {
      // Our own end of the run is no answer of the server.
      if error.kind == .cancelled || error.kind == .closed { throw error }
      write(request, step()) { line, number, screen in
        line.object("failure") { line in
          RecordedShapes.failure.writeMembers(of: screen.clean(error), to: &line)
          write(body: copy?.bytes ?? [], number, screen, to: &line)
        }
      }
      throw error
    }
  }

  private func write(
    _ request: Base.Request, _ reading: SteppedClock.Reading,
    _ outcome: (inout JSONWriter, Int, SecretScreen) -> Void
  ) {
    let number = file.nextNumber()
    let screen = Self.screen(credential, request.seen)
    var line = JSONWriter()
    line.object { line in
      line.member("exchange", number)
      RecordedShapes.reading.writeMembers(of: reading, to: &line)
      line.object("request") { line in
        line.member("address", screen.clean(request.address))
        // Fields sent for a token are secret, also with Basic.
        let fields = HeaderFields(request.token == nil ? request.fields : [])
        line.member("fields", screen.clean(fields))
        if let body = request.body, request.token == nil {
          line.member("body", String(decoding: screen.clean(body.bytes), as: UTF8.self))
        }
      }
      outcome(&line, number, screen)
    }
    file.append(line)
  }

  private func write(
    body: [UInt8], _ number: Int, _ screen: SecretScreen, to line: inout JSONWriter
  ) {
    guard !body.isEmpty else { return }
    let cleaned = screen.clean(body)
    if let text = String(validating: cleaned, as: UTF8.self) {
      line.member("body", text)
    } else {
      line.member("bodyFile", file.keep(cleaned, number: number))
    }
  }
}

/// Passes a body on and keeps a copy; the transfer's own limit bounds it.
private final class CopyingSink: BodySink {
  private let inner: any BodySink
  private let copy = Locked<[UInt8]>([])

  init(_ inner: any BodySink) { self.inner = inner }

  var bytes: [UInt8] { copy.withLock { $0 } }

  func begin(_ fields: HeaderFields) {
    copy.withLock { $0 = [] }
    inner.begin(fields)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // A copy: the buffer is invalid after this call.
    let piece = Array(bytes)
    copy.withLock { $0 += piece }
    return inner.receive(bytes)
  }
}
