internal import Base

/// Receives the body of one hop: checks its size, unpacks it, and hands it to the sink or keeps it. With a sink, memory
/// stays constant.
final class BodyReceiver {
  enum Verdict: Equatable { case goesOn, tooLarge, refused, damaged }

  private let bytesMax: Int
  private var sink: (any BodySink)?
  private var decoder: GzipDecoder?
  /// Bytes received, without the transfer encoding.
  private(set) var rawBytes = 0
  /// Unpacked bytes.
  private(set) var bytes = 0
  private(set) var kept: [UInt8] = []

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Not `.goesOn` if the head already shows that the body cannot be accepted.
  func begin(_ head: HeadReader, sink: (any BodySink)?) -> Verdict {
    self.sink = sink
    if case .length(let length) = head.framing {
      if !head.isGzip, length > bytesMax { return .tooLarge }
      if sink == nil { kept.reserveCapacity(min(length, bytesMax, 1 << 20)) }
    }
    if head.isGzip {
      decoder = GzipDecoder()
      if decoder == nil { return .damaged }
    }
    sink?.begin(head.fields)
    return .goesOn
  }

  func receive(_ raw: UnsafeRawBufferPointer) -> Verdict {
    rawBytes += raw.count
    guard let decoder else { return take(raw) }
    // Packing may enlarge a body a little, but it must not go on forever while it unpacks to nothing.
    if rawBytes > bytesMax + bytesMax / 64 + (64 << 10) { return .tooLarge }
    return decoder.feed(raw, take)
  }

  private func take(_ piece: UnsafeRawBufferPointer) -> Verdict {
    guard piece.count <= bytesMax - bytes else { return .tooLarge }
    bytes += piece.count
    if let sink { return sink.receive(piece) ? .goesOn : .refused }
    kept.append(contentsOf: piece)
    return .goesOn
  }

  /// Whether a packed body reached its proven end. A body announced as empty may be empty although its encoding is
  /// gzip.
  func isUnpackedWhole(_ framing: HeadReader.Framing) -> Bool {
    guard let decoder else { return true }
    if rawBytes == 0, framing != .untilClose { return true }
    return decoder.isWhole
  }

  /// Whether the packed body itself proves its end.
  var provesItsEnd: Bool { decoder?.isWhole ?? false }
}
