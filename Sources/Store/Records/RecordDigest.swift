internal import Base

/// A digest of everything in a record, whatever the order of its members: two records with the same
/// content are one.
enum RecordDigest {
  /// 32 hexadecimal digits.
  static func text(of record: JSONValue) -> String {
    ["a", "b"].map { salt in
      var digest = Digest64()
      digest.addField(salt)
      add(record, to: &digest)
      return Hexadecimal.text(digest.value)
    }.joined()
  }

  /// The reader of the answer limits the nesting, and so the recursion.
  private static func add(_ value: JSONValue, to digest: inout Digest64) {
    switch value.kind {
    case .object:
      let members = value.members.map { (name: $0.key.identity, value: $0.value) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      digest.addField("{\(members.count)")
      for member in members {
        digest.addField(member.name)
        add(member.value, to: &digest)
      }
    case .array:
      digest.addField("[\(value.count)")
      for element in value.elements { add(element, to: &digest) }
    default: digest.addField(value.identity)
    }
  }
}
