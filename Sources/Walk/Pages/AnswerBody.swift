public import JSON
public import Model

/// What an answer's bytes are, read once for the error table and for the page.
public enum AnswerBody: Sendable {
  case json(JSONDocument)
  /// No byte but blanks.
  case blank
  /// Not JSON; the text says what is wrong where.
  case other(String)

  public init(_ answer: Answer) {
    let isBlank = answer.body.allSatisfy { $0 == 32 || (9...13).contains($0) }
    if isBlank {
      self = .blank
      return
    }
    do {
      self = .json(try JSONDocument.read(answer.body))
    } catch {
      self = .other(error.description)
    }
  }

  public var document: JSONDocument? {
    if case .json(let document) = self { document } else { nil }
  }
}
