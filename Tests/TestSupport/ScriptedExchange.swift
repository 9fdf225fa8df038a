public import Base

/// The network as a function: the test decides each answer, and all requests are kept. Replaces the transport in tests
/// of the engine.
public final class ScriptedExchange: Exchange {
  public typealias Script = @Sendable (Request, Int) async -> Result<Answer, ExchangeFailure>

  private let requests = Locked<[Request]>([])
  private let script: Script

  /// The script gets the request and its number, from 1.
  public init(_ script: @escaping Script) { self.script = script }

  public var asked: [Request] { requests.withLock { $0 } }

  public func send(
    _ request: Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let number = requests.withLock {
      $0.append(request)
      return $0.count
    }
    var answer = try await script(request, number).get()
    if let sink, answer.kind == .content {
      sink.begin(answer.fields)
      let isTaken = answer.body.withUnsafeBytes { sink.receive($0) }
      if !isTaken {
        throw ExchangeFailure(
          .sinkRefused, cause: .store, address: answer.address, sentence: "the body was refused",
          status: answer.status)
      }
      answer.body = []
    }
    return answer
  }
}

extension Request {
  /// A query parameter.
  public subscript(name: String) -> String? {
    (address.query ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }
      .map {
        String(decoding: PercentEncoding.decoded($0.dropFirst(name.count + 1)), as: UTF8.self)
      }
  }

  public func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}

extension Exchange {
  /// Sends a request and follows its redirects, as the code that reserves requests does.
  public func follow(
    _ request: Request, into sink: (any BodySink)? = nil
  ) async throws(ExchangeFailure) -> Answer {
    var chain = RedirectChain(request)
    while true {
      let answer = try await send(chain.request, into: sink)
      if try chain.follow(answer) { continue }
      return chain.completed(answer)
    }
  }
}

extension ExchangeFailure {
  /// A fault of the network on the way of a request.
  public static func simulated(_ kind: Kind, _ request: Request) -> ExchangeFailure {
    ExchangeFailure(
      kind, cause: .network, address: request.address, sentence: "simulated: \(kind.rawValue)")
  }
}

/// Answers of a script, sent and received at one instant.
extension Answer {
  public static func whole(
    _ request: Request, _ body: [UInt8], _ fields: [HeaderField] = [], status: Int = 200,
    at now: Instant = Instant(seconds: 1_795_269_600)
  ) -> Answer {
    Answer(
      status: status, fields: HeaderFields(fields), body: body, address: request.address,
      sentAt: now, receivedAt: now)
  }

  public static func json(
    _ request: Request, _ text: String = "{}", _ fields: [HeaderField] = [], status: Int = 200,
    at now: Instant = Instant(seconds: 1_795_269_600)
  ) -> Answer {
    .whole(request, Array(text.utf8), fields, status: status, at: now)
  }
}
