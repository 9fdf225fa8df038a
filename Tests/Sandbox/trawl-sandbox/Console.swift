internal import Glibc

/// The only writer to standard output and standard error.
enum Console {
  static func print(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func fail(_ text: String, status: Int32) -> Never {
    write("trawl-sandbox: " + text, to: STDERR_FILENO)
    exit(status)
  }

  /// Serving continues if the reader has gone.
  private static func write(_ text: String, to descriptor: Int32) {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return }
      left = left.dropFirst(max(0, count))
    }
  }
}
