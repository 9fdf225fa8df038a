/// What is done on a connection for one answer. A good answer is one `send`; each fault is another list of steps, so
/// one server can produce both on one port. If none of them ends the connection, the next request is read.
enum WireStep: Sendable {
  case send([UInt8])
  /// Nothing for this many milliseconds of real time.
  case pause(Int)
  /// `bytes` in pieces of `size`, with a pause of real milliseconds after each.
  case drip([UInt8], size: Int, pause: Int)
  /// The same bytes again and again, until the peer leaves or `bytesMax` is reached.
  case flood([UInt8], bytesMax: Int)
  /// Sends nothing more and closes the connection normally.
  case close
  /// Ends the connection with a reset (RST).
  case reset
}
