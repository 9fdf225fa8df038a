import Base
@testable import Commands
import Testing

@Suite("When a run puts what it has stored")
struct PutPaceTests {
  @Test("is once a list has ended and 10 s are over, else after 60 s; one at a time")
  func pace() {
    var pace = PutPace(began: .zero)
    #expect(!pace.isDue(at: .seconds(59)) && pace.isDue(at: .seconds(60)))
    pace.listEnded()
    #expect(!pace.isDue(at: .seconds(9)) && pace.isDue(at: .seconds(10)))
    pace.begin()
    pace.listEnded()
    #expect(!pace.isDue(at: .seconds(500)))
    pace.end(at: .seconds(500))
    #expect(!pace.isDue(at: .seconds(509)) && pace.isDue(at: .seconds(510)))
    pace.begin()
    pace.end(at: .seconds(511))
    #expect(!pace.isDue(at: .seconds(570)) && pace.isDue(at: .seconds(571)))
  }
}
