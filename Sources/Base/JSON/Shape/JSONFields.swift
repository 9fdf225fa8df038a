/// The members of a JSON object, each declared once for writing and reading.
public struct JSONFields<Root: Sendable>: Sendable {
  /// One member of the object.
  public struct Field: Sendable {
    let name: String
    let write: @Sendable (Root, inout JSONWriter) -> Void
    /// False: the value has the wrong kind.
    let read: @Sendable (JSONValue, inout Root) -> Bool

    /// Reads a stored property by its offset, ten times as fast as by its key path: each stored row reads about a
    /// hundred members.
    private static func reading<Value>(
      _ path: any WritableKeyPath<Root, Value> & Sendable
    ) -> @Sendable (Root) -> Value {
      guard let offset = MemoryLayout<Root>.offset(of: path) else { return { $0[keyPath: path] } }
      return { root in
        withUnsafePointer(to: root) {
          (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Value.self).pointee
        }
      }
    }

    /// A member that is always written.
    public static func value<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable
    ) -> Field {
      let current = reading(path)
      return Field(name: name) { root, out in
        out.key(name)
        current(root).write(to: &out)
      } read: { value, root in
        guard let value = Value(json: value) else { return false }
        root[keyPath: path] = value
        return true
      }
    }

    /// A member that is omitted if it equals `other`.
    public static func value<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, unless other: Value
    ) -> Field {
      let always = value(name, path)
      let current = reading(path)
      return Field(name: name) { root, out in
        if current(root) != other { always.write(root, &out) }
      } read: {
        always.read($0, &$1)
      }
    }

    /// Sums of such numbers cannot overflow, even over a text of tens of megabytes.
    private static var counts: ClosedRange<Int64> { 0...1 << 40 }

    /// A count, or an object of counts by name. A number outside `counts` is read as one of the wrong kind.
    public static func count<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
      unless other: Value? = nil
    ) -> Field {
      let any = other.map { value(name, path, unless: $0) } ?? value(name, path)
      return Field(name: name, write: any.write) { json, root in
        let numbers = json.isObject ? json.members.map(\.value) : [json]
        return numbers.allSatisfy { counts.contains($0.integer ?? -1) } && any.read(json, &root)
      }
    }

    /// A member that is omitted if it is false.
    public static func flag(
      _ name: String, _ path: any WritableKeyPath<Root, Bool> & Sendable
    ) -> Field {
      value(name, path, unless: false)
    }

    /// A member that is omitted if it is nil.
    public static func optional<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable
    ) -> Field {
      let current = reading(path)
      return Field(name: name) { root, out in
        guard let value = current(root) else { return }
        out.key(name)
        value.write(to: &out)
      } read: { value, root in
        root[keyPath: path] = Value(json: value)
        return root[keyPath: path] != nil
      }
    }

    /// A member that is null if it is nil.
    public static func nullable<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable
    ) -> Field {
      let current = reading(path)
      return Field(name: name) { root, out in
        out.member(name, current(root))
      } read: { value, root in
        root[keyPath: path] = Value(json: value)
        return value.isNull || root[keyPath: path] != nil
      }
    }

    /// A derived member: written, never read. Omitted if it is nil.
    public static func made<Value: JSONScalar>(
      _ name: String, _ value: @escaping @Sendable (Root) -> Value?
    ) -> Field {
      Field(name: name) { root, out in
        if let value = value(root) { out.member(name, value) }
      } read: { _, _ in
        true
      }
    }

    /// A nested object with members of the same root.
    public static func group(_ name: String, _ fields: JSONFields) -> Field {
      Field(name: name) { root, out in
        out.object(name) { fields.writeMembers(of: root, to: &$0) }
      } read: { value, root in
        fields.readMembers(of: value, into: &root)
      }
    }
  }

  private let fields: [Field]

  public init(_ fields: [Field]) { self.fields = fields }

  public func writeMembers(of root: Root, to out: inout JSONWriter) {
    for field in fields { field.write(root, &out) }
  }

  /// False: a member has the wrong kind. Unknown members are ignored.
  @discardableResult
  public func readMembers(of value: JSONValue, into root: inout Root) -> Bool {
    members(of: value, into: &root).areOfKind
  }

  private func members(
    of value: JSONValue, into root: inout Root
  ) -> (areOfKind: Bool, areKnown: Bool) {
    var (areOfKind, areKnown) = (value.isObject, true)
    // Our own texts have their members in the order of the fields.
    var next = 0
    for member in value.members {
      func isNamed(_ at: Int) -> Bool { member.key.isString(fields[at].name) }
      guard
        let at = (next..<fields.count).first(where: isNamed) ?? (0..<next).first(where: isNamed)
      else {
        areKnown = false
        continue
      }
      next = at + 1
      areOfKind = fields[at].read(member.value, &root) && areOfKind
    }
    return (areOfKind, areKnown)
  }

  public func text(_ root: Root) -> String {
    JSONWriter.text { $0.object { writeMembers(of: root, to: &$0) } }
  }

  /// Nil if the text has a member that such an object lacks.
  public func read(_ text: String, into empty: Root) -> Root? {
    guard let written = JSONValue(text: text) else { return nil }
    var root = empty
    return members(of: written, into: &root) == (true, true) ? root : nil
  }
}

/// An object that is stored as a text of declared members.
public protocol JSONStored: Sendable {
  static var empty: Self { get }
  static var fields: JSONFields<Self> { get }
}

extension JSONStored {
  public var text: String { Self.fields.text(self) }

  /// Nil if the text has a member that such an object lacks.
  public init?(_ text: String) {
    guard let read = Self.fields.read(text, into: Self.empty) else { return nil }
    self = read
  }
}

/// An object of declared members. A missing member, or one of the wrong kind, is as in `empty`.
public protocol JSONShape: JSONScalar {
  static var empty: Self { get }
  static var fields: JSONFields<Self> { get }
}

extension JSONShape {
  public static func read(_ json: JSONValue) -> Self? {
    guard json.isObject else { return nil }
    var value = empty
    fields.readMembers(of: json, into: &value)
    return value
  }

  public func write(to out: inout JSONWriter) {
    out.object { Self.fields.writeMembers(of: self, to: &$0) }
  }
}
