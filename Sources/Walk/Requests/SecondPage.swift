public import Base

/// How page 2 is requested, for a person who looks at one answer.
public enum SecondPage: Sendable, Equatable {
  case address(WebAddress)
  /// The same address, with this in the body.
  case body(place: String, value: String)
  /// There is none, and why.
  case none(String)

  /// - Parameter first: the address of the answer.
  public static func way(_ job: Job, _ stream: Stream, _ page: Page, _ first: WebAddress) -> Self {
    if page.more == false { return .none("the answer says that no more follow") }
    let count = page.records.count
    func with(_ name: String, _ value: String) -> Self {
      stream.isPositionInBody
        ? .body(place: name, value: value) : .address(first.setting(name, value))
    }
    switch stream.pager {
    case .single: return .none("one answer is the whole list")
    case .number(let name, let number): return with(name, String(number + 1))
    case .offset(let name):
      guard count > 0 else { return .none("the page is empty") }
      // Pages by offset share a record, which shows that they follow each other.
      let shares = WalkRules(stream).pagesOverlap && count > 1
      return with(name, String(shares ? count - 1 : count))
    case .chain(let next):
      switch page.next {
      case .token(let state)? where next.isState:
        return .address(
          NextState.pairs(state).reduce(first) { $0.setting($1.name, $1.value) })
      case .token(let token)?:
        guard let name = next.parameter else { return .none("a token, and no parameter for it") }
        return with(name, token)
      case .address(let text)?:
        guard let address = try? WebAddress(text) else {  // no address: nothing is requested
          return .none("what the answer names is not an address")
        }
        return .address(address.removing(job.secretPlaces))
      default:
        let origin = page.nextLeadsTo.map { ", but at another origin: \($0)" } ?? ""
        return .none("the answer names no next page\(origin)")
      }
    }
  }
}
