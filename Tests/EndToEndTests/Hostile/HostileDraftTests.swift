import Glibc
import TestSupport
import Testing

@Suite("trawl new against servers that mean no good", .prompt)
struct HostileDraftTests {
  private let home = Home()

  private var file: String { "\(home.scratch.path)/d.json5" }

  private func draft(
    _ server: AnswerServer, ends status: Int32, saying words: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await home.trawl(
      "new", server.origin + "/things?limit=3", "--yes", "-o", file, ends: status, saying: words,
      without: "\u{1b}", sourceLocation: sourceLocation)
  }

  @Test("A limit at the first request is a pause, and nothing is written")
  func limited() async throws {
    let server = AnswerServer { _ in
      .json("{\"message\": \"slow\"}", ["Retry-After: 60"], status: 429)
    }
    await draft(server, ends: 75)
    #expect(server.calls.count == 1 && !home.holds(file))
  }

  @Test("A limit behind page 1 ends the questions, and what is known is drafted")
  func limitedLater() async throws {
    let server = AnswerServer { call in
      call.target.contains("page=") || call.target.contains("offset=")
        ? .json("{}", ["Retry-After: 60"], status: 429)
        : .json("{\"things\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]}")
    }
    // Page 1 is as long as requested, and nothing says where page 2 is.
    await draft(server, ends: 3)
    #expect(server.calls.count == 2 && home.holds(file))
  }

  @Test("A page of HTML is told as what it is; a key that is missing as a key")
  func foreign() async throws {
    let page = AnswerServer { _ in
      .init(fields: ["Content-Type: text/html"], body: Array("<!DOCTYPE html><html>".utf8))
    }
    await draft(page, ends: 1, saying: "is not JSON: it is \"text/html\"")
    await draft(AnswerServer { _ in .json("{}", status: 401) }, ends: 77, saying: "Bearer {key}")
  }

  @Test("An answer without end is cut")
  func endless() async throws {
    let server = AnswerServer { _ in
      .json("[" + String(repeating: "{\"id\": 1234567890},", count: 500_000) + "1]")
    }
    await draft(server, ends: 69)
    #expect(!home.holds(file))
  }

  @Test("A server that leads round and round costs ten requests at most")
  func redirects() async throws {
    let server = AnswerServer { call in
      let isFirst = !call.target.contains("hop")
      return isFirst
        ? .init(status: 302, fields: ["Location: /things?limit=3&hop=1&\(call.target.utf8.count)"])
        : .json("{\"more\": true, \"things\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}]}")
    }
    await draft(server, ends: 3)
    #expect(server.calls.count <= 10)
  }

  @Test("What the server says cannot move the terminal")
  func terminal() async throws {
    let server = AnswerServer { _ in
      .json(#"{"things": [{"id": 1}, {"id": 2}, {"id": 3}], "next": "a\u001b[2Jb"}"#)
    }
    await draft(server, ends: 3, saying: "a%1B%5B2Jb")
  }
}
