internal import Base

/// A stream that was read, with the places that a comparison with other streams may complain at.
struct StreamDraft {
  var stream: Stream
  var node: JSON5Node
  /// Whether the file says it, or the rule for streams with `for` decides.
  var saysWhetherItInserts: Bool

  /// Every column of the key is there, once; else the key is complained of already.
  var hasSoundKey: Bool {
    stream.key.allSatisfy { stream.column($0) != nil } && Set(stream.key).count == stream.key.count
  }
}
