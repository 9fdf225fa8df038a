public import Base

/// The form of an answer's bytes, parsed once for the error table and the page.
public enum AnswerBody: Sendable {
  case json(JSONDocument)
  /// Nothing but blanks.
  case blank
  /// Invalid JSON, or a damaged feed; the text says what is wrong and where.
  case other(String)
  /// Something other than a feed, or an unsupported feed; the text says what.
  case foreign(String)

  /// - Parameter isFeed: a feed is expected. Errors are parsed as JSON anyway.
  public init(_ answer: Answer, isFeed: Bool = false) {
    if answer.body.allSatisfy(\.isBlank) {
      self = .blank
      return
    }
    if isFeed, answer.kind == .content {
      self = Self.feed(answer)
      return
    }
    do {
      self = .json(try JSONDocument.read(Self.text(of: answer)))
    } catch {
      self = .other(error.description)
    }
  }

  /// JSON is UTF-8, whatever the server says; where hardly any letter is, its declared encoding applies.
  private static func text(of answer: Answer) -> [UInt8] {
    guard let name = charset(answer), !XMLEncoding.isUTF8(name),
      answer.body.contains(where: { $0 >= 0x80 }), !XMLEncoding.holdsUTF8(answer.body)
    else { return answer.body }
    return XMLEncoding.decoded(answer.body, from: name) ?? answer.body
  }

  private static func feed(_ answer: Answer) -> AnswerBody {
    do {
      let json = try FeedReader.json(
        answer.body, charset: charset(answer), from: answer.address)
      return .json(try JSONDocument.read(json))
    } catch let problem as FeedProblem {
      return problem.isOther ? .foreign(problem.sentence) : .other(problem.sentence)
    } catch {
      return .other("\(error)")
    }
  }

  /// The encoding that the server names.
  private static func charset(_ answer: Answer) -> String? {
    for part in (answer.fields["Content-Type"] ?? "").split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks }
      guard pair.count == 2, pair[0].equalsIgnoringCase("charset") else { continue }
      let name = pair[1].filter { $0 != "\"" }
      return name.isEmpty ? nil : name
    }
    return nil
  }

  public var document: JSONDocument? {
    if case .json(let document) = self { document } else { nil }
  }
}
