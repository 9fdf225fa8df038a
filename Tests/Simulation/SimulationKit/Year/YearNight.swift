internal import Base
internal import TestSupport

/// What the API does in one night in the place of its usual answers.
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

  /// - Parameter visit: how often the run has asked the same before.
  mutating func trouble(
    _ request: Request, list: String, visit: Int, _ world: YearWorld
  ) -> Result<Answer, ExchangeFailure>? {
    if case .hostIsOut(let minutes) = event,
      minutes.map({ world.trueNow < began + .seconds(60 * $0) }) ?? true
    {
      return .failure(YearWorld.failure(.unreachable, request))
    }
    guard request.address.origin.host != "img.example" else { return nil }
    switch event {
    case .keyDied:
      return .success(world.reply(request, 401, #"{"message":"bad credentials"}"#))
    case .limitAlways: return .success(world.reply(request, 429, "{}"))
    case .listAnswers(list, let answer):
      switch answer {
      case .refused: return .success(world.reply(request, 400, #"{"message":"bad request"}"#))
      case .gone: return .success(world.reply(request, 404, #"{"message":"no such list"}"#))
      case .page: return .success(world.reply(request, 200, "<html>We are back soon</html>"))
      case .error: return .success(world.reply(request, 200, #"{"error":"internal"}"#))
      }
    case .listIsOut(list): return .success(world.reply(request, 500, "oops"))
    case .limit(let wait) where !hasLimited:
      hasLimited = true
      return .success(
        world.reply(
          request, 429, Array("{}".utf8), [HeaderField("Retry-After", "\(wait.components.seconds)")]
        )
      )
    case .faults(let percent):
      // By what is asked and how often: which of two requests is first decides nothing.
      var digest = Digest64()
      digest.addField(request.address.target)
      var draw = SeededRandom(seed: digest.value ^ seed &+ UInt64(visit))
      guard Int(draw.next() % 100) < percent else { return nil }
      switch draw.next() % 5 {
      case 0: return .failure(YearWorld.failure(.cut, request))
      case 1: return .failure(YearWorld.failure(.reset, request))
      case 2: return .success(world.reply(request, 503, "busy"))
      case 3:
        let wait = HeaderField("Retry-After", "\(1 + draw.next() % 20)")
        return .success(world.reply(request, 429, Array("{}".utf8), [wait]))
      default: return .success(world.reply(request, 200, "<html>Welcome</html>"))
      }
    default: return nil
    }
  }

  /// Behind an answer of a list.
  static func answered(_ name: String, _ state: inout YearWorld.State) {
    var night = state.night
    defer { state.night = night }
    if night.event == .neverRests(name) { return state.move(name, &night.random) }
    guard let drift = night.drift, drift.list == name else { return }
    night.answers += 1
    if night.answers == drift.after { state.move(name, &night.random) }
  }
}
