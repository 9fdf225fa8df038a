internal import Base
internal import Walk

/// One answer, read as a page of the list.
struct Sample: Sendable {
  let answer: Answer
  let document: JSONDocument
  let path: [String]
  let records: [JSONValue]
  let isOneRecord: Bool
  let envelope: Envelope
  /// RSS or Atom, read as JSON.
  var isFeed = false

  /// What an answer is, where it is no page.
  enum Reading: Sendable {
    case page(Sample)
    case other(String)
  }

  /// - Parameter path: where the records were before; nil: they are looked for.
  static func read(_ answer: Answer, words: Set<String>, at path: [String]? = nil) -> Reading {
    guard answer.kind == .content else {
      return .other("it is answered with HTTP \(answer.status)")
    }
    if case .json(let feed) = AnswerBody(answer, isFeed: true),
      !answer.body.starts(with: "{".utf8), !answer.body.starts(with: "[".utf8)
    {
      let items = feed.root["items"].map { Array($0.elements) } ?? []
      return .page(
        Sample(
          answer: answer, document: feed, path: ["items"], records: items, isOneRecord: false,
          envelope: Envelope(feed.root, records: ["items"]), isFeed: true))
    }
    let document: JSONDocument
    switch AnswerBody(answer) {
    case .json(let read): document = read
    case .blank: return .other("the answer is empty")
    case .foreign(let why): return .other(why)
    case .other(let why):
      return .other(ForeignAnswer(answer)?.sentence ?? "the answer is no JSON: \(why)")
    }
    guard let found = found(document.root, words, path) else {
      return .other("the answer holds no list")
    }
    return .page(
      Sample(
        answer: answer, document: document, path: found.path, records: found.records,
        isOneRecord: found.isOneRecord,
        envelope: Envelope(document.root, records: found.path)))
  }

  private static func found(
    _ root: JSONValue, _ words: Set<String>, _ path: [String]?
  ) -> RecordSearch.Found? {
    guard let path else { return RecordSearch(words: words).find(in: root) }
    var value = root
    for step in path where step != "*" {
      guard let inner = value[step] else { return nil }
      value = inner
    }
    if path.last == "*" {
      return RecordSearch.Found(path: path, records: value.members.map(\.value))
    }
    return value.isArray ? RecordSearch.Found(path: path, records: Array(value.elements)) : nil
  }

  /// `5 records at "items"`
  var told: String {
    let place = path.isEmpty ? "" : " at \(JSONPath.text(of: path))"
    return isOneRecord ? "one object, no list" : Wording.count(records.count, "record") + place
  }

  /// What tells its records apart: the key's text, or the whole record.
  func identities(_ key: [String]?) -> [[UInt8]] {
    records.map { record in key.flatMap { KeySearch.value($0, in: record)?.json } ?? record.json }
  }

  /// Whether it holds other records than this page, for the most part.
  func isOther(than page: Sample, _ key: [String]?) -> Bool {
    let known = Set(page.identities(key))
    let fresh = identities(key).count { !known.contains($0) }
    return fresh * 2 > records.count
  }

  func isSame(as page: Sample, _ key: [String]?) -> Bool {
    identities(key) == page.identities(key)
  }
}
