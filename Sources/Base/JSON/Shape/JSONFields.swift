/// The members of a JSON object, each declared once: what is written, and what is read back.
public struct JSONFields<Root: Sendable>: Sendable {
  /// One member of the object.
  public struct Field: Sendable {
    let name: String
    let write: @Sendable (Root, inout JSONWriter) -> Void
    /// False: it is not a value of this kind.
    let read: @Sendable (JSONValue, inout Root) -> Bool

    /// Each row that is stored reads some hundred members, and a stored property is found by its place ten times as
    /// fast as by its path.
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

    /// Always there.
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

    /// Left out where it is `other`.
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

    /// Left out where it is false.
    public static func flag(
      _ name: String, _ path: any WritableKeyPath<Root, Bool> & Sendable
    ) -> Field {
      value(name, path, unless: false)
    }

    /// Left out where it is nil.
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

    /// Null where it is nil.
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

    /// Made from the others: written, and not read. Left out where it is nil.
    public static func made<Value: JSONScalar>(
      _ name: String, _ value: @escaping @Sendable (Root) -> Value?
    ) -> Field {
      Field(name: name) { root, out in
        if let value = value(root) { out.member(name, value) }
      } read: { _, _ in
        true
      }
    }

    /// An object of its own, of the same root.
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

  /// False: the value of a member has the wrong kind. Unknown members are ignored.
  @discardableResult
  public func readMembers(of value: JSONValue, into root: inout Root) -> Bool {
    members(of: value, into: &root).areOfKind
  }

  private func members(
    of value: JSONValue, into root: inout Root
  ) -> (areOfKind: Bool, areKnown: Bool) {
    var (areOfKind, areKnown) = (value.isObject, true)
    // What was written here has its members in the order of the fields.
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

  /// Nil: another hand has written what no such object has.
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

  /// Nil: another hand has written what no such object has.
  public init?(_ text: String) {
    guard let read = Self.fields.read(text, into: Self.empty) else { return nil }
    self = read
  }
}

/// An object of declared members. A member that is missing, or of another kind, is as in the empty one.
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
