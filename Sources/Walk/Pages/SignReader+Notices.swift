internal import Base

extension SignReader {
  /// Whether an object in the place of records only says how the request went. Numbers alone are counts.
  func isMessage(_ object: JSONValue, at path: [String], of answer: Answer) -> Bool {
    var search = SignSearch(reader: self, answer: answer, next: nil, total: nil, count: nil)
    for member in object.members where !member.value.isNull {
      guard let key = member.key.string, let plain = SignName.plain(key.utf8) else { return false }
      if SignName.besideMessages.contains(plain) { continue }
      guard let meaning = SignName.of(member: plain),
        [SignName.notice, .status, .errorCode, .success].contains(meaning)
      else { return false }
      search.note(meaning, member.value, path + [key])
    }
    func counts(_ value: JSONValue) -> Bool {
      value.isNumber || value.isObject && value.members.allSatisfy { counts($0.value) }
    }
    return !counts(object) && search.found.contains { !stream.knows($0) }
  }
}

extension UnreadSign {
  /// Something failed; a message or a warning may only inform.
  var isError: Bool {
    let name = place.split(separator: ".").last.flatMap { SignName.plain($0.utf8) }
    return kind == .notice && !["message", "warning", "warnings"].contains(name)
  }
}

/// Messages beside a list: which say that something went wrong.
extension SignSearch {
  /// Words that only say that all is well.
  private static let pleasantries: Set = [
    "ok", "success", "successful", "succeeded", "done", "none", "no error", "no errors",
  ]

  func isNotice(_ value: JSONValue) -> Bool {
    guard leads(value), PageReader.flag(value) != false, !Self.isDeprecation(value) else {
      return false
    }
    if let code = value["code"] ?? value["status"], isPleasant(code) {
      return value["message"].map { !isPleasant($0) } ?? false
    }
    return !isPleasant(value)
  }

  /// Warnings of deprecations only.
  private static func isDeprecation(_ value: JSONValue) -> Bool {
    value.isArray
      && value.elements.allSatisfy {
        String(decoding: $0.json, as: UTF8.self).lowercased().holds("deprecat")
      }
  }

  private func isPleasant(_ value: JSONValue) -> Bool {
    let text = value.string?.trimmingBlanks.lowercased()
    return value.isNull || value.integer == 0
      || text.map { $0.isEmpty || Self.pleasantries.contains($0) || Self.saysSuccess($0) } ?? false
  }

  /// `Response returned successfully`, but nothing that has another word: it may say what is missing.
  private static func saysSuccess(_ text: String) -> Bool {
    let words = Set(text.split { !$0.isLetter })
    return !words.isDisjoint(with: ["success", "successful", "successfully"])
      && words.isSubset(of: plainWords) && !text.contains(where: \.isNumber)
  }

  private static let plainWords: Set<Substring> = [
    "success", "successful", "successfully", "ok", "the", "is", "was", "were", "has", "have",
    "been", "response", "request", "query", "search", "operation", "api", "call", "data", "result",
    "results", "record", "records", "list", "items", "returned", "retrieved", "fetched", "loaded",
    "completed", "executed", "processed", "found",
  ]

  /// An HTTP error status, or a word for failure.
  func isBadNews(_ value: JSONValue) -> Bool {
    if let number = PageReader.length(value) { return (400...599).contains(number) }
    return Self.failures.contains((value.string ?? "").lowercased().filter { !"_- ".contains($0) })
  }

  /// Only what no thing can be: an order may be partial, and a person denied.
  private static let failures: Set<String> = [
    "error", "fail", "failed", "failure", "internalerror", "internalservererror", "servererror",
    "unknownerror", "serviceunavailable", "deadlineexceeded", "invalidrequest", "requestdenied",
    "permissiondenied", "overquerylimit", "overdailylimit", "quotaexceeded", "ratelimited",
    "ratelimitexceeded", "ratelimitreached", "resourceexhausted", "toomanyrequests",
    "partialdata", "partialresult", "partialresults",
  ]

  /// False; for the names that count nothing also 0.
  func isFailure(_ value: JSONValue, _ path: [String]) -> Bool {
    Self.plainFlag(value) == false
      || value.integer == 0 && ["success", "ok"].contains(path.last?.lowercased())
  }
}
