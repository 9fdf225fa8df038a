/// One declared column of a record table.
public struct Column: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case text, integer, real, boolean, json, url, date
    /// The digits of a second that are kept (0 or 3), and the zone of values that name none.
    case time(digits: Int, zone: String?)
  }

  public enum Source: Sendable, Equatable {
    /// The first path that leads to a value that is not absent.
    case paths([JSONPath])
    /// A value of the request: a parameter, or the origin's host as `host`.
    case parameter(String)
    /// The position of the record in its list, from 1.
    case position
    /// The name of the record's member, if the records are the members of an object.
    case memberName
    /// A digest of the whole record: a key for records without one.
    case digest
    /// The same text for every record of the stream: which list it is in.
    case constant(String)
    /// A text whose holes are filled with values of the request: `headlines {country}`.
    case filled(Template)
  }

  /// Where in a record the value may be; empty if it does not come from the record.
  public var paths: [JSONPath] {
    if case .paths(let paths) = source { paths } else { [] }
  }

  /// What the record itself has, as it came.
  public func value(in record: JSONValue) -> JSONValue? {
    paths.lazy.compactMap { $0.first(in: record) }.first { !$0.isNull }
  }

  /// Every record of a list has the same value.
  var isOfRequest: Bool {
    switch source {
    case .parameter, .constant, .filled: true
    case .paths, .position, .memberName, .digest: matches != nil
    }
  }

  public var name: String
  public var source: Source
  public var kind: Kind
  /// An SQL expression over `value`, applied to what was read.
  public var expression: String?
  /// A record without it is rejected.
  public var isRequired: Bool
  /// The value of the request that it must equal; a record with another one is rejected.
  public var matches: String?
  /// Changes are kept in `<table>_history` and leave `changed_at` alone.
  public var isVolatile: Bool
  /// Values that count as absent, beyond those of the kind.
  public var absent: [String]

  public init(
    name: String, source: Source, kind: Kind = .text, expression: String? = nil,
    isRequired: Bool = false, matches: String? = nil, isVolatile: Bool = false,
    absent: [String] = []
  ) {
    self.name = name
    self.source = source
    self.kind = kind
    self.expression = expression
    self.isRequired = isRequired
    self.matches = matches
    self.isVolatile = isVolatile
    self.absent = absent
  }
}
