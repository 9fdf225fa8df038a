internal import Base

/// Answers of which single records are no JSON.
extension PageReader {
  /// The page without those records, which are named in it; nil where it is not certain which bytes
  /// they are. What was sent came whole, so asking again would bring the same.
  func damagedPage(_ answer: Answer, at cursor: Cursor?) -> Reading? {
    guard let list = DamagedList(answer.body, at: stream.records),
      // An answer that has trouble of another kind is told by its first one.
      var page = try? page(answer, list.document, at: cursor)
    else { return nil }
    for element in list.damaged {
      page.damaged[element.place] = DamagedRecord(
        bytes: element.bytes,
        reason: "\(element.error) of the answer; \(element.bytes.count) bytes from byte "
          + "\(element.offset) on, with the digest \(Hexadecimal.text(Digest64.of(element.bytes)))")
    }
    return .page(page)
  }
}
