internal import Glibc
public import Model

/// Why a request cannot be built: a value is missing or not fit. Nothing has been sent.
public struct StepProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong with which value, and what would be right.
  public let sentence: String

  public var cause: Cause { .request }
  public var description: String { sentence }

  init(_ sentence: String) { self.sentence = sentence }
}

/// Builds the requests of one unit. The values are checked once, when it is made; after that only
/// a page's own address (a next link) can fail. No request holds a credential.
public struct StepBuilder: Sendable {
  public let stream: Stream
  public let unit: Unit
  /// Path, fixed query and window; page size and position come behind.
  private let front: WebAddress
  private let place: Credential.Place?

  public init(job: Job, stream: Stream, unit: Unit) throws(StepProblem) {
    self.stream = stream
    self.unit = unit
    place = job.authentication?.place
    let values = try UnitValues(job: job, stream: stream, unit: unit)
    var address = try values.address(stream.path, stream.query, in: job)
    if let rule = stream.window, let window = unit.window {
      let ends = WindowText(window, rule: rule)
      if let name = rule.from { address = address.adding(name, ends.from) }
      if let name = rule.to { address = address.adding(name, ends.to) }
    }
    front = address.removing(place)
  }

  /// The cursor of the first page.
  public var first: Cursor {
    switch stream.pager {
    case .number(_, let first): .number(first)
    case .offset: .offset(0)
    case .single, .chain: .start
    }
  }

  /// How many records the request at a cursor asks for. The last page of an offset walk shrinks,
  /// so that it ends at the API's ceiling: beyond it some APIs answer nothing at all.
  public func size(at cursor: Cursor) -> Int? {
    guard let size = stream.size?.value else { return nil }
    if case .sized(_, let size) = cursor { return size }
    // A size that is not asked for is that of every page.
    guard let cap = stream.cap?.at, stream.size?.parameter != nil else { return size }
    switch stream.pager {
    case .offset:
      guard case .offset(let offset) = cursor else { return min(size, cap) }
      return max(0, min(size, cap - offset))
    case .number: return min(size, cap)
    case .single, .chain: return size
    }
  }

  /// The request that a cursor stands for.
  public func address(at cursor: Cursor) throws(StepProblem) -> WebAddress {
    if case .address(let text) = cursor {
      do {
        return try WebAddress(text).removing(place)
      } catch {
        throw StepProblem("the address of the next page is no http or https URL: \(text)")
      }
    }
    var address = front
    if cursor == .firstRecord {
      if let name = stream.size?.parameter { address = address.adding(name, "1") }
      return try self.address(at: first, from: address)
    }
    if let size = size(at: cursor), let name = stream.size?.parameter {
      address = address.adding(name, String(size))
    }
    return try self.address(at: cursor, from: address)
  }

  private func address(
    at cursor: Cursor, from address: WebAddress
  ) throws(StepProblem) -> WebAddress {
    switch (stream.pager, cursor) {
    case (.number(let name, let first), .start): return address.adding(name, String(first))
    case (.number(let name, _), .number(let page)), (.number(let name, _), .sized(let page, _)):
      return address.adding(name, String(page))
    case (.offset(let name), .start): return address.adding(name, "0")
    case (.offset(let name), .offset(let offset)): return address.adding(name, String(offset))
    case (.chain(let next), .token(let state)) where next.isState:
      return NextState.pairs(state).reduce(address) { $0.setting($1.name, $1.value) }
        .removing(place)
    case (.chain(let next), .start), (.chain(let next), .token):
      switch (next.parameter, next.token(of: cursor)) {
      case (let name?, let token?): return address.adding(name, token)
      case (_, nil): return address
      case (nil, _): throw unfit(cursor)
      }
    case (_, .start): return address
    default: throw unfit(cursor)
    }
  }

  private func unfit(_ cursor: Cursor) -> StepProblem {
    StepProblem("the stored position \"\(cursor)\" is not one of this kind of paging")
  }

  public func step(
    _ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor
  ) throws(StepProblem) -> Step {
    Step(purpose: purpose, ordinal: ordinal, cursor: cursor, address: try address(at: cursor))
  }
}
