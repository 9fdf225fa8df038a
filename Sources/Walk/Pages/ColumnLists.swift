public import Base

/// Records given as parallel lists, one per member: `{ id: [1, 2], name: ["a", "b"] }`.
public enum ColumnLists {
  /// - Parameter place: for messages.
  public static func records(
    _ value: JSONValue, at place: String
  ) throws(PageTrouble) -> [JSONValue] {
    let lists = value.members.compactMap { member -> (name: JSONValue, values: [JSONValue])? in
      member.value.isArray ? (member.key, Array(member.value.elements)) : nil
    }
    guard let first = lists.first else {
      throw PageTrouble.otherShape(
        "the object at \(place) holds no list, and each should be a member of the records")
    }
    if let other = lists.first(where: { $0.values.count != first.values.count }) {
      throw PageTrouble.otherShape(
        "the lists at \(place) differ: \(told(first)), and \(told(other)); so it is unclear which values are of"
          + " one record")
    }
    var writer = JSONWriter()
    writer.array { writer in
      for index in first.values.indices {
        writer.object { writer in
          for list in lists {
            writer.key(list.name.string ?? "")
            writer.value(list.values[index])
          }
        }
      }
    }
    do { return Array(try JSONDocument.read(writer.bytes).root.elements) } catch {
      throw PageTrouble.otherShape("the lists at \(place) make no records: \(error)")
    }
  }

  private static func told(_ list: (name: JSONValue, values: [JSONValue])) -> String {
    "\((list.name.string ?? "").shown) has \(list.values.count)"
  }
}
