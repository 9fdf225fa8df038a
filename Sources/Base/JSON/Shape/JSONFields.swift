/// The members of a flat JSON object, each declared once: what is written, and what is read back.
/// A member that has its default is left out.
public struct JSONFields<Root: Sendable>: Sendable {
  /// One member of the object.
  public struct Field: Sendable {
    let name: String
    let write: @Sendable (Root, inout JSONWriter) -> Void
    /// False: it is no value of this kind.
    let read: @Sendable (JSONValue, inout Root) -> Bool

    /// Left out where it is `other`.
    public static func value<Value: JSONScalar>(
      _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, unless other: Value
    ) -> Field {
      Field(name: name) { root, out in
        let value = root[keyPath: path]
        if value == other { return }
        out.key(name)
        value.write(to: &out)
      } read: { value, root in
        guard let value = Value(json: value) else { return false }
        root[keyPath: path] = value
        return true
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
      Field(name: name) { root, out in
        guard let value = root[keyPath: path] else { return }
        out.key(name)
        value.write(to: &out)
      } read: { value, root in
        root[keyPath: path] = Value(json: value)
        return root[keyPath: path] != nil
      }
    }
  }

  private let fields: [Field]

  public init(_ fields: [Field]) { self.fields = fields }

  public func text(_ root: Root) -> String {
    var writer = JSONWriter()
    writer.object { out in
      for field in fields { field.write(root, &out) }
    }
    return writer.text
  }

  /// Nil: another hand has written what no such object has.
  public func read(_ text: String, into empty: Root) -> Root? {
    guard let document = try? JSONDocument.read(Array(text.utf8)),  // else it was not written here
      document.root.isObject
    else { return nil }
    var root = empty
    for member in document.root.members {
      guard let field = fields.first(where: { member.key.isString($0.name) }),
        field.read(member.value, &root)
      else { return nil }
    }
    return root
  }
}
