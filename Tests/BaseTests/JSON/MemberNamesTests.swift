import Base
import TestSupport
import Testing

@Suite("Names of members that are looked for together")
struct MemberNamesTests {
  @Test("lead where each path leads by itself, whatever the order, with duplicates and strangers")
  func same() throws {
    var random = SeededRandom(seed: 3)
    let words = ["id", "title", "author", "größe", "", "a.b", "link"]
    for _ in 0..<2_000 {
      let names = Array(
        words.shuffled(using: &random).prefix(Int.random(in: 0...7, using: &random)))
      let members = (0..<Int.random(in: 0...9, using: &random)).map { number in
        let name = words.randomElement(using: &random) ?? ""
        let value = ["\(number)", "null", #"{"id":\#(number),"x":{}}"#, "[1,[2]]", #""t""#]
        return "\"\(name)\":\(value.randomElement(using: &random) ?? "")"
      }
      let shapes = ["{\(members.joined(separator: ","))}", "[1]", "7"]
      let text = random.next() % 9 > 0 ? shapes[0] : shapes[Int(random.next() % 3)]
      let value = try JSONDocument.read(Array(text.utf8)).root
      var places: MemberNames.Places = []
      MemberNames(names.map { Array($0.utf8) }).find(in: value, into: &places)
      #expect(places.count == names.count)
      for (name, place) in zip(names, places) {
        let quoted = "\"\(name)\""
        for path in [quoted, "\(quoted).id", "\(quoted).*", "\(quoted).1.0"] {
          let path = try JSONPath(path)
          let found = place < 0 ? nil : path.first(in: value, behind: place)
          #expect(found?.json == path.first(in: value)?.json, "\(path) in \(text)")
        }
      }
    }
  }
}
