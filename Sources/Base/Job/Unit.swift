/// What one walk reads: a list, by its parameter values, or a window of it. The unit of resuming, of coverage and of
/// proof.
public struct Unit: Hashable, Sendable {
  public var stream: String
  /// In the order of the stream's holes.
  public var values: [ParameterValue]
  public var window: TimeWindow?

  public init(stream: String, values: [ParameterValue] = [], window: TimeWindow? = nil) {
    self.stream = stream
    self.values = values
    self.window = window
  }

  public func value(_ name: String) -> String? { values.first { $0.name == name }?.value }

  /// One line that identifies the parameter values, byte for byte: `user=octocat`. Values are escaped, so that no two
  /// sets are alike.
  public var parameterText: String { parameterText(besides: []) }

  public func parameterText(besides names: [String]) -> String {
    values.filter { !names.contains($0.name) }.map {
      "\($0.name)=\(PercentEncoding.encoded($0.value))"
    }.joined(separator: "&")
  }
}

public struct ParameterValue: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A half-open stretch of time.
public struct TimeWindow: Hashable, Sendable {
  public var from: Instant
  public var to: Instant

  public init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  /// The share of the window, from 0 to 1, that these disjoint parts cover. Nil: it has no length.
  public func share(of parts: [TimeWindow]) -> Double? {
    let whole = (to - from).inSeconds
    guard whole > 0 else { return nil }
    return min(1, max(0, parts.reduce(0) { $0 + ($1.to - $1.from).inSeconds } / whole))
  }
}

/// The position of a walk: what the next request asks for.
public enum Cursor: Equatable, Sendable, CustomStringConvertible {
  case start
  case number(Int)
  /// A numbered page of another size than the stream's: both decide where it begins.
  case sized(Int, Int)
  case offset(Int)
  case token(String)
  /// A URL without the credential.
  case address(String)
  /// A page of a chain, with another size than the stream's.
  indirect case part(Cursor, size: Int)

  public var isOffset: Bool { if case .offset = self { true } else { false } }
  public var isPart: Bool { if case .part = self { true } else { false } }
  public var isSized: Bool { if case .sized = self { true } else { false } }

  /// By bytes: a token may be a text of the API.
  public static func == (one: Cursor, other: Cursor) -> Bool {
    ExactText(one.description) == ExactText(other.description)
  }

  /// The stored form: `number 3`, `token CDIQAA`.
  public var description: String {
    switch self {
    case .start: "start"
    case .number(let page): "number \(page)"
    case .sized(let page, let size): "sized \(page) \(size)"
    case .offset(let offset): "offset \(offset)"
    case .token(let token): "token \(token)"
    case .address(let address): "address \(address)"
    case .part(let page, let size): "part \(size) \(page)"
    }
  }

  public init?(_ text: String) {
    if text == Cursor.start.description {
      self = .start
      return
    }
    guard let space = text.utf8.firstIndex(of: 32) else { return nil }
    let word = String(text[..<space])
    let rest = String(text[text.utf8.index(after: space)...])
    switch word {
    case "number":
      guard let page = Int(rest) else { return nil }
      self = .number(page)
    case "sized":
      let numbers = rest.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { return nil }
      self = .sized(numbers[0], numbers[1])
    case "offset":
      guard let offset = Int(rest) else { return nil }
      self = .offset(offset)
    case "part":
      let parts = rest.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let size = Int(parts[0]), let page = Cursor(String(parts[1])) else {
        return nil
      }
      self = .part(page, size: size)
    case "token": self = .token(rest)
    case "address": self = .address(rest)
    default: return nil
    }
  }
}

extension Cursor: JSONScalar {
  public static func read(_ json: JSONValue) -> Cursor? { json.string.flatMap { Cursor($0) } }
  public func write(to out: inout JSONWriter) { out.string(description) }
}

/// One request of a walk.
public struct Step: Sendable, Equatable {
  public enum Purpose: String, Sendable, CaseIterable {
    /// The next page of the list.
    case page
    /// A page that is read again when a walk is resumed: it must overlap with what is stored.
    case seam
    /// Page 1 again at the end: has the list moved?
    case closingCheck
    /// A page that could not be read in an earlier run, requested alone.
    case repair
    /// The last page, read right after page 1 to compare it with the walk's own reading of it. Not stored.
    case lastPage
    /// The last page with one record less: does the answer say that more follow? Not stored.
    case signOfMore
    /// The last record again, and what follows it; or page 2 in the size that page 1 came in. Not stored.
    case lastRecord
    /// The page before the first, once in a stream's life: does the API count its pages from 0? Not stored.
    case pageBefore

    /// The first reading of a place in the list. A second reading only adds to the unit's sums what is new to it.
    public var isCounted: Bool { self == .page || self == .repair }

    /// A reading of the list itself.
    public var readsTheList: Bool { isCounted || self == .seam }

    /// It shows something about the list, but stores no records.
    public var isLook: Bool { [.lastPage, .signOfMore, .lastRecord, .pageBefore].contains(self) }
  }

  public var purpose: Purpose
  /// From 1, in the order of the walk.
  public var ordinal: Int
  public var cursor: Cursor
  public var address: WebAddress
  /// Set if it is requested by POST.
  public var body: RequestBody?
  /// Header fields with values of its list.
  public var fields: [HeaderField]

  public init(
    purpose: Purpose, ordinal: Int, cursor: Cursor, address: WebAddress, body: RequestBody? = nil,
    fields: [HeaderField] = []
  ) {
    self.fields = fields
    self.purpose = purpose
    self.ordinal = ordinal
    self.cursor = cursor
    self.address = address
    self.body = body
  }

  /// What distinguishes its request from others: the address, and a digest of the body.
  public var target: String {
    guard let body else { return address.description }
    return "POST \(address) \(Hexadecimal.text(Digest64.of(body.bytes)))"
  }
}
