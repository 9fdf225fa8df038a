internal import Base

/// A page that was already requested is not requested again: the walk would loop.
extension Walker {
  /// Requests a page of the list, unless it was requested before.
  mutating func askNext(_ cursor: Cursor) -> Move {
    let move = ask(.page, ordinal: state.ordinal + 1, at: cursor)
    guard case .ask(let step) = move else { return move }
    guard remember(step) || stepsBack else {
      let cure =
        cursor == state.lastRead?.cursor
        ? "; if a token that stays ends lists here, the job should say so: stops: \"repeat\""
        : endCure(state.lastRead?.cursor)
      return finish(.loop("page \(state.ordinal) names a page that was already requested\(cure)"))
    }
    return move
  }

  /// For a page that was requested with a token that may mean the end.
  func endCure(_ cursor: Cursor?) -> String {
    guard case .token(let token)? = cursor, !rules.goesByRecord,
      Self.endTokens.contains(token.lowercased())
    else { return "" }
    return "; it was requested with the token \"\(token)\": if that ends lists here, the job "
      + "should say so: stops: \"\(token)\""
  }

  private static let endTokens: Set = [
    "0", "-1", "null", "none", "nil", "undefined", "false", "end", "eof", "done", "last",
  ]

  /// False if this was requested before as a page of the list.
  mutating func remember(_ step: Step) -> Bool {
    // A later page may name page 1 by its address.
    if step.cursor == rules.first { state.remember(step.address.description) }
    return state.remember(rules.request(at: step.cursor))
  }
}
