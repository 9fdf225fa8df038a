import Base
@testable import Crawl
import Testing

@Suite("An access token in hand")
struct AccessTokenTests {
  private static let one = Secret("one")

  @Test("is had anew before it lapses: a tenth of its life, a minute at most")
  func lapses() {
    let tokens = AccessTokens()
    #expect(tokens.current(at: .zero) == nil)
    tokens.take(Self.one, life: .seconds(3600), at: .seconds(10))
    #expect(tokens.current(at: .seconds(3549)) == Self.one)
    #expect(tokens.current(at: .seconds(3550)) == nil)
    tokens.take(Self.one, life: .seconds(100), at: .zero)
    #expect(tokens.current(at: .seconds(89)) == Self.one)
    #expect(tokens.current(at: .seconds(90)) == nil)
    tokens.take(Self.one, life: nil, at: .zero)
    #expect(tokens.current(at: .seconds(1 << 30)) == Self.one)
  }

  @Test("is given up when it is refused, unless the job knows the refusal and the token serves")
  func refused() {
    let tokens = AccessTokens()
    tokens.take(Self.one, life: nil, at: .zero)
    // It has never worked, so it may be wrong.
    #expect(tokens.refuse(Self.one, isCertain: false, at: .seconds(1)))
    #expect(tokens.current(at: .seconds(1)) == nil)
    tokens.take(Self.one, life: nil, at: .zero)
    tokens.noteService(of: Self.one)
    // Among readable lists one may be forbidden: not each such answer costs a token.
    #expect(!tokens.refuse(Self.one, isCertain: false, at: .seconds(59)))
    #expect(tokens.refuse(Self.one, isCertain: false, at: .seconds(60)))
    tokens.take(Self.one, life: nil, at: .zero)
    tokens.noteService(of: Self.one)
    #expect(tokens.refuse(Self.one, isCertain: true, at: .seconds(1)))
    // A newer one is already there.
    tokens.take(Secret("two"), life: nil, at: .zero)
    #expect(tokens.refuse(Self.one, isCertain: true, at: .seconds(1)))
    #expect(tokens.current(at: .seconds(1)) == Secret("two"))
  }
}
