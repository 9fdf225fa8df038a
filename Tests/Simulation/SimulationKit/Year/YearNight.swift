internal import Base
internal import TestSupport

/// What the API does in one night instead of its usual answers.
struct YearNight: Sendable {
  var event: YearEvent?
  var drift: (list: String, after: Int)?
  var seed: UInt64 = 0
  var random: SeededRandom
  /// When the night's first run began.
  var began: Instant
  private var answers = 0
  private var hasLimited = false

  init(_ plan: YearPlan.Night? = nil, seed: UInt64 = 0, at began: Instant = Instant(seconds: 0)) {
    event = plan?.event
    drift = plan?.drift
    self.seed = seed
    self.began = began
    random = SeededRandom(seed: seed)
  }

  /// - Parameter visit: how often the run requested the same before.
  mutating func trouble(
    _ request: Request, list: String, visit: Int, _ world: YearWorld
  ) -> Result<Answer, ExchangeFailure>? {
    let isPicture = request.address.origin.host == "img.example"
    if case .hostIsOut(let minutes) = event, world.trueNow < began + .seconds(60 * minutes) {
      return .failure(.simulated(.unreachable, request))
    }
    if let answer = event?.answer(to: isPicture ? YearTrouble.pictures : list),
      let given = Self.given(answer, request, world)
    {
      return given
    }
    guard !isPicture else { return nil }
    switch event {
    case .limit(let wait) where !hasLimited:
      hasLimited = true
      return .success(
        world.reply(
          request, 429, Array("{}".utf8), [HeaderField("Retry-After", "\(wait.components.seconds)")]
        )
      )
    case .faults(let percent):
      // Drawn by target and count, so that the order of two requests does not matter.
      var digest = Digest64()
      digest.addField(request.address.target)
      var draw = SeededRandom(seed: digest.value ^ seed &+ UInt64(visit))
      guard Int(draw.next() % 100) < percent else { return nil }
      switch draw.next() % 5 {
      case 0: return .failure(.simulated(.cut, request))
      case 1: return .failure(.simulated(.reset, request))
      case 2: return .success(world.reply(request, 503, "busy"))
      case 3:
        let wait = HeaderField("Retry-After", "\(1 + draw.next() % 20)")
        return .success(world.reply(request, 429, Array("{}".utf8), [wait]))
      default: return .success(world.reply(request, 200, "<html>Welcome</html>"))
      }
    default: return nil
    }
  }

  mutating func shuffle(_ entries: inout [SimulatedList.Entry]) {
    for index in entries.indices.dropLast() {
      entries.swapAt(index, index + Int(random.next() % UInt64(entries.count - index)))
    }
  }

  /// The answer instead of a page; nil: a page.
  private static func given(
    _ answer: YearTrouble.Answer, _ request: Request, _ world: YearWorld
  ) -> Result<Answer, ExchangeFailure>? {
    func status(_ code: Int, _ fields: [HeaderField] = []) -> Result<Answer, ExchangeFailure> {
      .success(world.reply(request, code, Array(#"{"message":"no"}"#.utf8), fields))
    }
    switch answer {
    case .status(let code, let wait):
      return status(code, wait.map { [HeaderField("Retry-After", "\($0)")] } ?? [])
    case .text(let text): return .success(world.reply(request, 200, text))
    case .failure(let kind): return .failure(.simulated(kind, request))
    case .expired(let code):
      let isFirst = SimulatedServer.isFirst(SimulatedServer.parameters(request.address))
      return isFirst ? nil : status(code)
    case .some(let code, let parts):
      var digest = Digest64()
      digest.addField(request.address.target)
      return digest.value % UInt64(parts) == 0 ? status(code) : nil
    default: return nil
    }
  }

  /// Called after each answer of a list.
  static func answered(_ name: String, _ state: inout YearWorld.State) {
    var night = state.night
    defer { state.night = night }
    if night.event == .neverRests(name) { return state.move(name, &night.random) }
    guard let drift = night.drift, drift.list == name else { return }
    night.answers += 1
    if night.answers == drift.after { state.move(name, &night.random) }
  }
}
