import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("An answer of a size")
struct LongAnswerTests {
  @Test(
    "is read at once where it is short, and where it is long on a thread that no other answer waits for",
    arguments: [(0, false), (1 << 18, false), (1 << 18 + 1, true), (1 << 22, true)])
  func place(bytes: Int, isElsewhere: Bool) throws {
    let address = try WebAddress("https://api.example.org/items")
    let request = Request(address, rule: AddressRule(trusted: [address.origin]))
    let answer = Answer.whole(request, Array(repeating: 0x20, count: bytes))
    #expect((answer.longReader != nil) == isElsewhere)
  }
}
