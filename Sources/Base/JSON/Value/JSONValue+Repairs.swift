/// A repaired string, and where its bytes are in the source.
struct RepairedString: Sendable {
  let word: Int
  let source: Range<Int>
}

/// Repaired strings may be equal although their original bytes differ.
extension JSONValue {
  /// The original bytes of a string that had to be repaired, escapes included; nil for every other value.
  public var bytesBeforeRepair: [UInt8]? {
    guard let repair = repairs(before: index + 1).first else { return nil }
    return source(of: repair)
  }

  /// The value in compact form, followed by the original bytes of every repaired string in it, so that values that were
  /// sent with different bytes differ.
  public var identity: [UInt8] {
    var bytes = json
    for repair in repairs(before: withTape { $0.next(index) }) {
      bytes.append(0)
      bytes += source(of: repair)
    }
    return bytes
  }

  /// The repairs within this value: from its own word up to `end`.
  private func repairs(before end: Int) -> ArraySlice<RepairedString> {
    let all = document.repairs
    if all.isEmpty { return [] }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].word < index { low = middle + 1 } else { high = middle }
    }
    return all[low...].prefix { $0.word < end }
  }

  private func source(of repair: RepairedString) -> [UInt8] {
    withTape { tape in
      Array(UnsafeBufferPointer(start: tape.source, count: tape.sourceCount)[repair.source])
    }
  }
}
