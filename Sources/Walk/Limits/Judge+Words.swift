public import Base

/// The sentences about an answer that asks for a wait (429), or is not a page.
extension Judge {
  static func asksForWait(_ answer: Answer) -> String {
    "\(place(answer)) asks for a wait (\(answer.status))"
  }

  /// 401, or what APIs say with another 4xx when they mean it (RFC 6750).
  public static func refusesToken(
    _ answer: Answer, _ body: @autoclosure () -> AnswerBody
  ) -> Bool {
    answer.status == 401
      || answer.failure == .client
        && (body().document?.root["error"]?.isString("invalid_token") ?? false
          || answer.fields.values("WWW-Authenticate").contains { $0.holds("\"invalid_token\"") })
  }

  /// Whether an answer that is not a 429 means one.
  static func speaksOfLimit(_ answer: Answer, _ body: AnswerBody) -> Bool {
    guard answer.failure == .client || answer.kind == .content else { return false }
    // Other statuses have better uses, such as 400 for a page that is too large.
    let mayBeLikely = [402, 403, 420].contains(answer.status)
    return ServerWords.all(body).map(LimitWords.init).contains {
      $0.areCertain && !$0.areOfField || mayBeLikely && $0.areLikely
    }
  }

  /// For a rule without words of its own.
  static func words(_ rule: ErrorRule, _ answer: Answer, _ signs: LimitSigns) -> String {
    switch rule.action {
    case .defer: "\(place(answer)) says that the limit is reached (\(answer.status))"
    case .retry where signs.wait != nil: asksForWait(answer)
    case .retry where (200..<300).contains(answer.status):
      "\(place(answer)) answers \(answer.status) with what the job treats as a temporary error"
    default:
      "\(place(answer)) answers \(answer.status)"
        + ((200..<300).contains(answer.status)
          ? ", which a rule of the job's errors calls \"\(rule.isCap ? "cap" : rule.action.rawValue)\""
          : "")
    }
  }

  /// Without the query, which is long: the path identifies the list.
  static func place(_ answer: Answer) -> String {
    answer.address.origin.description + answer.address.path
  }
}
