import Base

/// One answer of a folder of recordings: `DIR/<api>/<file>.json`, a plain body or a list of
/// exchanges.
struct RecordedAnswer {
  var name: String
  /// What was asked, behind the host; nil for a plain body.
  var path: String?
  var answer: Answer

  /// Every exchange of a file that asked for something by GET.
  static func all(in bytes: [UInt8], name: String, job: Job) throws -> [RecordedAnswer] {
    let root = try JSONDocument.read(bytes).root
    guard let exchanges = root["exchanges"] else {
      return [
        RecordedAnswer(
          name: name, path: nil, answer: answer(status: 200, HeaderFields(), bytes, job, nil))
      ]
    }
    return exchanges.elements.enumerated().compactMap { index, exchange -> RecordedAnswer? in
      guard let response = exchange["response"], let request = exchange["request"],
        request["method"]?.string ?? "GET" == "GET"
      else { return nil }
      var fields = HeaderFields()
      if let headers = response["headers"] {
        for field in headers.members {
          fields.append(HeaderField(field.key.string ?? "", field.value.string ?? ""))
        }
      }
      let body = response["body"]
      // A body that was no JSON stands there as a text.
      let bytes = body?.string.map { Array($0.utf8) } ?? body?.json ?? []
      let address = request["url"]?.string.flatMap { try? WebAddress($0) }  // some name none
      let status = response["status"]?.integer.map { Int($0) } ?? 0
      return RecordedAnswer(
        name: exchanges.count > 1 ? "\(name) \(index + 1)" : name, path: address?.path,
        answer: answer(status: status, fields, bytes, job, address))
    }
  }

  private static func answer(
    status: Int, _ fields: HeaderFields, _ body: [UInt8], _ job: Job, _ address: WebAddress?
  ) -> Answer {
    let now = Instant(seconds: 1_795_000_000)
    return Answer(
      status: status, fields: fields, body: body, address: address ?? job.base, sentAt: now,
      receivedAt: now)
  }
}
