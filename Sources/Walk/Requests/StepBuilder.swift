internal import Glibc
public import Base

/// Why a request cannot be built: a value is missing or unsuitable. Nothing was sent.
public struct StepProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// Which value is wrong, and what would be right.
  public let sentence: String

  public var description: String { sentence }

  public init(_ sentence: String) { self.sentence = sentence }
}

/// Makes the requests of one walk: from its job, or from stored answers if a walk is derived again.
public protocol StepMaking: Sendable {
  func step(
    _ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor
  ) throws(StepProblem) -> Step
}

/// Builds the requests of one unit. Values are checked once, in `init`; after that only a page's own address (a next
/// link) can fail. No request has a credential.
public final class StepBuilder: StepMaking {
  public let stream: Stream
  let rules: WalkRules
  let unit: Unit
  /// Path, fixed query and window, before page size and position.
  private let front: WebAddress
  private let places: [Credential.Place]
  private let frontBody: FilledBody?
  private let fields: [HeaderField]

  public init(job: Job, stream: Stream, unit: Unit) throws(StepProblem) {
    self.stream = stream
    rules = WalkRules(stream)
    self.unit = unit
    places = job.secretPlaces
    let ends = unit.window.map { WindowText($0, rule: stream.window) }
    // Of the unit or of its window.
    func value(_ name: String) -> String? {
      unit.value(name) ?? (name == "from" ? ends?.from : name == "to" ? ends?.to : nil)
    }
    try Self.check(stream, in: job, value)
    var address = try RequestHoles.address(
      stream.path, stream.query, in: job, slashes: stream.slashes, value)
    var body = try stream.body.map { template throws(StepProblem) in
      try FilledBody(template, value)
    }
    if let rule = stream.window, let ends {
      for (name, end) in [(rule.from, ends.from), (rule.to, ends.to)] {
        guard let name else { continue }
        if rule.isInBody {
          body = body?.setting(name, end, isNumber: rule.form.isNumber)
        } else {
          address = address.adding(name, end)
        }
      }
    }
    front = address.removing(places)
    frontBody = body
    fields = try stream.fieldTexts.map { item throws(StepProblem) in
      try Self.field(item, value)
    }
  }

  /// Each hole needs a value that fits the job's pattern.
  private static func check(
    _ stream: Stream, in job: Job, _ value: (String) -> String?
  ) throws(StepProblem) {
    for name in stream.holes {
      guard let value = value(name) else {
        throw StepProblem(
          "\"\(name)\" has no value, and \(job.name) \(stream.name) cannot be requested without one: "
            + "add --set \(name)=VALUE")
      }
      // A parent's value comes from the API itself and may be a batch.
      guard name != stream.parent?.column, let parameter = job.parameter(name),
        let pattern = parameter.pattern
      else { continue }
      guard (try? Pattern(pattern))?.matches(value) == true else {  // a bad pattern fits nothing
        throw StepProblem("\"\(value)\" cannot be a value of \"\(name)\": \(parameter.fitting)")
      }
    }
  }

  /// Refuses values that no header field can carry, which a parent's may be.
  private static func field(
    _ item: QueryItem, _ value: (String) -> String?
  ) throws(StepProblem) -> HeaderField {
    guard let text = item.value.filled(value) else {
      throw StepProblem(
        "the header \(item.name) holds \"\(item.value)\", and a value in it is missing")
    }
    guard text.utf8.count <= 1_000, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw StepProblem("the header \(item.name) cannot hold \"\(text.shown)\"")
    }
    return HeaderField(item.name, text)
  }

  public var first: Cursor { rules.first }

  /// The address of a cursor's request.
  func address(at cursor: Cursor) throws(StepProblem) -> WebAddress {
    let front: WebAddress
    switch cursor {
    case .address(let text): return try named(text)
    case .part(.address(let text), _): front = try named(text)
    default: front = self.front
    }
    return try settings(at: cursor).reduce(front) { address, setting in
      if setting.isInBody { return address }
      return setting.replaces || cursor.isPart
        ? address.setting(setting.name, setting.value) : address.adding(setting.name, setting.value)
    }.removing(places)
  }

  private func named(_ text: String) throws(StepProblem) -> WebAddress {
    do {
      return try WebAddress(text).removing(echoed: places, besides: stream.query)
    } catch {
      throw StepProblem("the address of the next page is not an http or https URL: \(text)")
    }
  }

  /// Nil for a GET.
  func body(at cursor: Cursor) throws(StepProblem) -> RequestBody? {
    guard let frontBody else { return nil }
    return try settings(at: cursor).reduce(frontBody) { body, setting in
      setting.isInBody
        ? body.setting(setting.name, setting.value, isNumber: setting.isNumber) : body
    }.bytes
  }

  /// What page size and position add to a request.
  private struct Setting {
    var name: String
    var value: String
    var isInBody: Bool
    var isNumber = true
    var replaces = false
  }

  private func settings(at cursor: Cursor) throws(StepProblem) -> [Setting] {
    var settings: [Setting] = []
    if let size = stream.size, let name = size.parameter, let value = rules.size(at: cursor) {
      settings.append(Setting(name: name, value: String(value), isInBody: size.isInBody))
    }
    return settings + (try positions(at: cursor))
  }

  private func positions(at cursor: Cursor) throws(StepProblem) -> [Setting] {
    func one(_ name: String, _ value: Int) -> [Setting] {
      [Setting(name: name, value: String(value), isInBody: stream.isPositionInBody)]
    }
    switch (stream.pager, cursor) {
    // The address contains the position.
    case (_, .address): return []
    case (_, .part(let page, _)): return try positions(at: page)
    case (.number(_, let first), _) where stream.hidesFirstNumber && isFirst(cursor, first):
      return []
    case (.number(let name, let first), .start): return one(name, first)
    case (.number(let name, _), .number(let page)), (.number(let name, _), .sized(let page, _)):
      return one(name, page)
    case (.offset(let name), .start): return one(name, 0)
    case (.offset(let name), .offset(let offset)): return one(name, offset)
    case (.chain(let next), .token(let state)) where next.isState:
      return NextState.pairs(state).map {
        Setting(name: $0.name, value: $0.value, isInBody: false, replaces: true)
      }
    case (.chain(let next), .start), (.chain(let next), .token):
      switch (next.parameter, next.token(of: cursor)) {
      case (let name?, let token?):
        let list = ListToken.json(token)
        let isNumber = next.isNumber || frontBody?.isNumber(token, at: name) == true
        return [
          Setting(
            name: name, value: list ?? token, isInBody: stream.isPositionInBody,
            isNumber: isNumber || list != nil)
        ]
      case (_, nil): return []
      case (nil, _): throw unfit(cursor)
      }
    case (_, .start): return []
    default: throw unfit(cursor)
    }
  }

  private func isFirst(_ cursor: Cursor, _ first: Int) -> Bool {
    switch cursor {
    case .start: true
    case .number(let page), .sized(let page, _): page == first
    default: false
    }
  }

  private func unfit(_ cursor: Cursor) -> StepProblem {
    StepProblem("the stored position \"\(cursor)\" is not one of this kind of paging")
  }

  public func step(
    _ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor
  ) throws(StepProblem) -> Step {
    Step(
      purpose: purpose, ordinal: ordinal, cursor: cursor, address: try address(at: cursor),
      body: try body(at: cursor), fields: fields)
  }
}
