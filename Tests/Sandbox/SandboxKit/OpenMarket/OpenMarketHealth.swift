/// The answers of the health check, good and bad: plain text, never JSON.
extension OpenMarketOptions.Health {
  func reply(_ generation: OpenMarketGeneration) -> Reply {
    switch self {
    case .usual: Self.text(generation == .second ? "\"OK\"" : "OK")
    case .bare: Self.text("OK")
    case .quoted: Self.text("\"OK\"")
    case .newline: Self.text(" OK \r\n")
    case .no: Self.text("NO")
    case .html: .html(200, "<html><body><h1>Application error</h1></body></html>\n")
    case .status500: .html(500, "<html><body><h1>Whitelabel Error Page</h1></body></html>\n")
    }
  }

  private static func text(_ text: String) -> Reply {
    Reply(200, [("Content-Type", "text/plain;charset=UTF-8")], body: Array(text.utf8))
  }
}
