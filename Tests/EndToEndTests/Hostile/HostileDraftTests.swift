import Glibc
import TestSupport
import Testing

@Suite("trawl new against servers that mean no good", .prompt)
struct HostileDraftTests {
  private let home = Home()

  @discardableResult
  private func draft(_ server: AnswerServer, ends status: Int32? = nil) async -> BinaryRun.Ended {
    await home.trawl(
      "new", server.origin + "/things?limit=3", "--yes", "-o", "\(home.scratch.path)/d.json5",
      ends: status)
  }

  @Test("A limit at the first request is a pause, and nothing is written")
  func limited() async throws {
    let server = AnswerServer { _ in
      .json("{\"message\": \"slow\"}", ["Retry-After: 60"], status: 429)
    }
    await draft(server, ends: 75)
    #expect(server.calls.count == 1)
    #expect(!home.holds("\(home.scratch.path)/d.json5"))
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
    #expect(server.calls.count == 2)
    #expect(home.holds("\(home.scratch.path)/d.json5"))
  }

  @Test("A page of HTML is told as what it is; a key that is missing as a key")
  func foreign() async throws {
    let page = AnswerServer { _ in
      .init(fields: ["Content-Type: text/html"], body: Array("<!DOCTYPE html><html>".utf8))
    }
    let html = await draft(page, ends: 1)
    #expect(html.errors.contains("is not JSON: it is \"text/html\""), "\(html.errors)")
    let locked = AnswerServer { _ in .json("{}", status: 401) }
    let refused = await draft(locked, ends: 77)
    #expect(refused.errors.contains("Bearer {key}"), "\(refused.errors)")
  }

  @Test("An answer without end is cut")
  func endless() async throws {
    let server = AnswerServer { _ in
      .json("[" + String(repeating: "{\"id\": 1234567890},", count: 500_000) + "1]")
    }
    await draft(server, ends: 69)
    #expect(!home.holds("\(home.scratch.path)/d.json5"))
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
      .json(
        "{\"th\\u001b[2Jings\": [{\"id\": \"\\u001b]0;x\\u0007\"}, {\"id\": \"b\"}, {\"id\": \"c\"}]}"
      )
    }
    let ended = await draft(server)
    #expect(!(ended.output + ended.errors).contains("\u{1b}"))
  }
}
