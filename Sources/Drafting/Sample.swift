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
  /// The records are an object of lists, one for each of their members.
  var isColumnar = false
  /// RSS or Atom, read as JSON.
  var isFeed = false

  /// - Parameter before: a page of this list, which shows where its records are; nil: they are
  ///   searched for.
  static func read(
    _ answer: Answer, for subject: Subject, like before: Sample?
  ) throws(DraftProblem) -> Sample {
    guard answer.kind == .content else {
      throw DraftProblem("it is answered with HTTP \(answer.status)")
    }
    if case .json(let feed) = AnswerBody(answer, isFeed: true),
      !answer.body.starts(with: "{".utf8), !answer.body.starts(with: "[".utf8)
    {
      let items = feed.root["items"].map { Array($0.elements) } ?? []
      return Sample(
        answer: answer, document: feed, path: ["items"], records: items, isOneRecord: false,
        envelope: Envelope(feed.root, records: ["items"]), isFeed: true)
    }
    let document: JSONDocument
    switch AnswerBody(answer) {
    case .json(let read): document = read
    case .blank: throw DraftProblem("the answer is empty")
    case .foreign(let why): throw DraftProblem(why)
    case .other(let why):
      throw DraftProblem(ForeignAnswer.sentence(answer) ?? "the answer is \(why)")
    }
    let root = document.root
    let found =
      if let before {
        RecordSearch.find(in: root, like: before)
      } else {
        RecordSearch.find(in: root, words: subject.words, sizes: subject.sizes)
      }
    guard let found else { throw DraftProblem("the answer holds no list") }
    return Sample(
      answer: answer, document: document, path: found.path, records: found.records,
      isOneRecord: found.isOneRecord,
      envelope: Envelope(root, records: found.path), isColumnar: found.isColumnar)
  }

  /// The list, or the object whose members are the records.
  static func holder(of path: [String], in root: JSONValue) -> JSONValue? {
    path.filter { $0 != "*" }.reduce(Optional(root)) { $0?[$1] }
  }

  /// The object of records has other members as well.
  var hasOtherMembers: Bool {
    guard path.last == "*", let map = Self.holder(of: path, in: document.root) else { return false }
    return map.count > records.count
  }

  /// Positions beside a size in the answer: `retstart` with `retmax`, and `$skip` in answers of
  /// OData.
  var placesBesideSizes: [String] {
    var names: [String] = []
    var value = document.root
    for step in path + [""] {
      names += value.members.compactMap(\.key.string)
      guard let inner = value[step], inner.isObject else { break }
      value = inner
    }
    return names.contains { $0.hasPrefix("@odata.") }
      ? ["$skip"] : names.compactMap { ParameterWords.place(beside: $0)?.name }
  }

  /// `5 records at "items"`
  var told: String {
    let place = path.isEmpty ? "" : " at \(JSONPath.text(of: path))"
    return isOneRecord ? "one object, no list" : Wording.count(records.count, "record") + place
  }

  /// What identifies its records: the key's text, or the whole record.
  func identities(_ key: [String]?) -> [[UInt8]] {
    records.map { record in key.flatMap { KeySearch.value($0, in: record)?.json } ?? record.json }
  }

  /// Whether most of its records differ from those of this page.
  func isOther(than page: Sample, _ key: [String]?) -> Bool {
    let known = Set(page.identities(key))
    let fresh = identities(key).count { !known.contains($0) }
    return fresh * 2 > records.count
  }

  func isSame(as page: Sample, _ key: [String]?) -> Bool {
    identities(key) == page.identities(key)
  }
}
