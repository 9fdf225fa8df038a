public import Base

/// The code that a person enters on a page, on any machine.
public struct DeviceCode: Sendable {
  /// Shown to the person.
  public var shown: String
  public var page: WebAddress
  /// The page with the code filled in.
  public var wholePage: WebAddress?
  /// Sent when the token is requested.
  public var secret: Secret
  public var life: Duration
  /// Between two requests.
  public var interval: Duration
}

/// Reads the answers of a login. No message of it contains a secret.
public struct LoginAnswer: Sendable {
  public enum Outcome: Sendable {
    case token(AccessToken)
    /// The person has not confirmed the login yet.
    case pending(asksForLess: Bool)
    /// May be temporary.
    case trouble(String)
    /// Why this login fails for good.
    case ended(String)
  }

  private var answers: TokenAnswer
  private let origin: Origin

  /// - Parameter secrets: all that are sent.
  public init(_ grant: TokenGrant, _ secrets: [String: Secret], of job: Job) {
    answers = TokenAnswer(grant, secrets, of: job, isOfLogin: true)
    origin = grant.address.origin
  }

  public mutating func read(_ answer: Answer) -> Outcome {
    let error = AnswerBody(answer).document?.root["error"]?.string
    switch error {
    case "authorization_pending", "slow_down":
      // The server knows the secrets: what says nothing of them may pass from here on.
      answers.wasRead = true
      return .pending(asksForLess: error == "slow_down")
    case "expired_token": return .ended("the code was not entered in time")
    case "access_denied": return .ended("the login was refused on its page")
    case "invalid_grant":
      return .ended(
        "\(origin) does not take the login's code: it has lapsed, was used before, or is not this login's"
      )
    default: break
    }
    switch answers.read(answer, attempt: 1) {
    case .value(let token): return .token(token)
    case .decision(.retry(_, _, let message)), .decision(.postpone(_, _, let message)):
      return .trouble(message)
    case .decision(.keyRefused(let message)), .decision(.fatal(let message)):
      return .ended(message)
    case .decision: return .ended("\(origin) answers \(answer.status) to the login")
    }
  }

  /// Reads the code that starts a device login.
  public func code(in answer: Answer) -> Result<DeviceCode, StepProblem> {
    let root = AnswerBody(answer).document?.root
    guard answer.kind == .content, let root,
      let secret = Self.text(root, "device_code", upTo: 4_096)
    else {
      var words = self
      switch words.read(answer) {
      case .trouble(let sentence): return .failure(StepProblem(sentence))
      case .ended(let sentence) where answer.kind != .content || root?["error"] != nil:
        return .failure(StepProblem(sentence))
      default: return .failure(StepProblem("\(origin) sends no code; see login.begins of the job"))
      }
    }
    guard let shown = Self.text(root, "user_code", upTo: 64),
      let page = Self.page(root, "verification_uri") ?? Self.page(root, "verification_url")
    else {
      return .failure(
        StepProblem("\(origin) sends a code without a page (HTTPS) on which to enter it"))
    }
    return .success(
      DeviceCode(
        shown: shown, page: page, wholePage: Self.page(root, "verification_uri_complete"),
        secret: Secret(secret), life: Self.seconds(root, "expires_in", else: 900, upTo: 86_400),
        interval: Self.seconds(root, "interval", else: 5, upTo: 300)))
  }

  /// One line of printable ASCII: it is shown, or sent.
  private static func text(_ root: JSONValue, _ name: String, upTo bytesMax: Int) -> String? {
    guard let text = root[name]?.string, (1...bytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return nil }
    return text
  }

  private static func page(_ root: JSONValue, _ name: String) -> WebAddress? {
    // An invalid address counts as none.
    guard let text = text(root, name, upTo: 2_000), let page = try? WebAddress(text),
      page.origin.isPrivate
    else { return nil }
    return page
  }

  private static func seconds(
    _ root: JSONValue, _ name: String, else usual: Int64, upTo most: Int64
  ) -> Duration {
    .seconds(min(max(root[name]?.integer ?? usual, 1), most))
  }
}
