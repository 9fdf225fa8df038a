import Testing

@testable import Base

@Suite("A wait for another one's lock")
struct BusyWaitTests {
  @Test("looks less often at first, and the more often the longer it has waited")
  func pauses() {
    #expect((0...8).map { BusyWait.pause(after: $0, .zero) } == [1, 2, 4, 8, 16, 32, 50, 50, 50])
    let old = [1, 3, 9, 40].map { BusyWait.pause(after: 99, .seconds($0)) }
    #expect(old == [50, 10, 2, 2])
  }
}
