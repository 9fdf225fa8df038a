internal import Glibc
internal import Base

/// `trawl mcp`: answers an agent's questions over stdin and stdout by the Model Context Protocol. It only reads the
/// database: no port is opened, no API requested. Between questions no file is open, so that a restore need not wait
/// for an agent.
struct MCPCommand: Sendable {
  let context: CommandContext

  /// SQLite's memory: a query must not take the machine's.
  private static let databaseBytesMax = 20_000_000

  func perform() async throws -> ExitStatus {
    Connection.limitMemory(to: Self.databaseBytesMax)
    let location = try context.locationForReading()
    var session = MCPSession(tools: ToolCalls(context: context, location: location))
    var lines = MessageLines(descriptor: 0) { [context] in context.interruption?.isAsked ?? false }
    while let line = lines.next() {
      if let reply = await session.reply(to: line) { context.console.printJSON(reply) }
      if context.console.isOutputClosed { break }
    }
    return .complete
  }
}

/// Lines of any length from a stream: those that are too long are dropped.
struct MessageLines {
  enum Line: Equatable {
    case text([UInt8])
    case tooLong
  }

  /// A message has a query at most; parsed, it may take twelve times as much.
  static let lineBytesMax = 1_000_000

  private let descriptor: Int32
  private let isStopped: () -> Bool
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  init(descriptor: Int32, stoppingWhen isStopped: @escaping () -> Bool) {
    (self.descriptor, self.isStopped) = (descriptor, isStopped)
  }

  /// Nil: the client is gone, or a signal came.
  mutating func next() -> Line? {
    var isTooLong = false
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        if isTooLong || line.count > Self.lineBytesMax { return .tooLong }
        if line.contains(where: { $0 > 32 }) { return .text(line) }
      } else if isAtEnd {
        defer { buffer = [] }
        if isTooLong { return .tooLong }
        return buffer.contains { $0 > 32 } ? .text(buffer) : nil
      } else {
        if buffer.count > Self.lineBytesMax { (buffer, isTooLong) = ([], true) }
        guard fill() else { return nil }
      }
    }
  }

  /// - Returns: false at a signal.
  private mutating func fill() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while !isStopped() {
      // Signals restart system calls, so they are checked now and then.
      if poll(&entry, 1, 500) <= 0 { continue }
      var part = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count > 0 { buffer += part[..<count] } else { isAtEnd = true }
      return true
    }
    return false
  }
}
