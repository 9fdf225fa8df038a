internal import JSON
internal import Model

/// A stream that was read, with the places that a comparison with other streams may complain at.
struct StreamDraft {
  var stream: Stream
  var node: JSON5Node
  /// Whether the file says it, or the rule for streams with `for` decides.
  var saysWhetherItInserts: Bool
}
