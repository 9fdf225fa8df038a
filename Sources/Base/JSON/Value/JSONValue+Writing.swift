extension JSONValue {
  /// Appends the value in compact form: members in order, duplicates too, numbers as they were
  /// written. The same value always gives the same bytes, however the document was laid out.
  func appendJSON(to output: inout [UInt8]) {
    withTape { tape in
      // For each open level, whether it is an object.
      withUnsafeTemporaryAllocation(of: Bool.self, capacity: JSONDocument.depthMax + 2) { open in
        open.initialize(repeating: false)
        append(tape, open, to: &output)
      }
    }
  }

  private func append(
    _ tape: Tape, _ open: UnsafeMutableBufferPointer<Bool>, to output: inout [UInt8]
  ) {
    var depth = 0
    var needsComma = false
    var isKey = false
    var at = index
    let end = tape.next(index)
    while at < end {
      let tag = tape.tag(at)
      if tag == Tape.Tag.objectEnd || tag == Tape.Tag.arrayEnd {
        output.append(tag)
        depth -= 1
        needsComma = true
        isKey = depth > 0 && open[depth - 1]
        at += 1
        continue
      }
      if needsComma { output.append(UInt8(ascii: ",")) }
      JSONValue.append(tape, at, tag, to: &output)
      if tag == Tape.Tag.object || tag == Tape.Tag.array {
        isKey = tag == Tape.Tag.object
        open[depth] = isKey
        depth += 1
        needsComma = false
        at += 1
        continue
      }
      if isKey { output.append(UInt8(ascii: ":")) }
      needsComma = !isKey
      isKey = !isKey && depth > 0 && open[depth - 1]
      at = tape.next(at)
    }
  }

  /// The value in compact form.
  public var json: [UInt8] {
    var output: [UInt8] = []
    // A word of the tape becomes about this many bytes of text, so the output rarely has to grow.
    let bytesOfWord = 8
    output.reserveCapacity(withTape { ($0.next(index) - index) * bytesOfWord })
    appendJSON(to: &output)
    return output
  }

  private static func append(_ tape: Tape, _ at: Int, _ tag: UInt8, to output: inout [UInt8]) {
    switch tag {
    case Tape.Tag.string: JSONText.appendQuoted(tape.string(at), to: &output)
    case Tape.Tag.signed, Tape.Tag.unsigned, Tape.Tag.double, Tape.Tag.huge:
      output.append(contentsOf: tape.number(at))
    case Tape.Tag.yes: output.append(contentsOf: "true".utf8)
    case Tape.Tag.no: output.append(contentsOf: "false".utf8)
    case Tape.Tag.null: output.append(contentsOf: "null".utf8)
    default: output.append(tag)
    }
  }
}
