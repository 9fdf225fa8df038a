/// What is done on a connection for one answer, step by step. A good answer is one `send`; every
/// fault is some other list of steps, which is why one server can produce both on one port.
enum WireStep: Sendable {
  case send([UInt8])
  /// Nothing for so many milliseconds of real time.
  case pause(Int)
  /// `bytes` in pieces of `size`, with a pause of real milliseconds after each.
  case drip([UInt8], size: Int, pause: Int)
  /// The same bytes again and again, until the peer leaves or the count of bytes is reached.
  case flood([UInt8], bytesMax: Int)
  /// No more is sent, and the connection ends in order.
  case close
  /// The connection ends with a reset (RST).
  case reset
}

/// The steps of one answer. When they are done without an end, the next request is read.
struct WireScript: Sendable {
  var steps: [WireStep]

  init(_ steps: [WireStep]) { self.steps = steps }
}
