@testable import Base
import TestSupport
import Testing

@Suite("The tolerant reader")
struct TolerantReaderTests {
  /// Whether two tapes have the same words and strings.
  static func areIdentical(_ one: JSONDocument, _ other: JSONDocument) -> Bool {
    let end = one.tape.payload(0)
    for index in 0..<end {
      // The root word at the end is never read.
      if index < end - 1, one.tape.words[index] != other.tape.words[index] { return false }
      if one.tape.tag(index) == Tape.Tag.string {
        guard Tape.equal(one.tape.string(index), other.tape.string(index)) else { return false }
      }
    }
    return other.tape.payload(0) == end
  }

  @Test("builds word for word the tape of simdjson for what simdjson takes")
  func agrees() throws {
    var random = SeededRandom(seed: 1)
    for round in 0..<2_000 {
      let text = RandomDocument.text(using: &random)
      let fast = try JSONDocument.read(text)
      #expect(!fast.isReadTolerantly, "round \(round): \(String(decoding: text, as: UTF8.self))")
      let slow = try JSONDocument.readTolerantly(text)
      #expect(slow.isReadTolerantly)
      #expect(
        Self.areIdentical(fast, slow), "round \(round): \(String(decoding: text, as: UTF8.self))")
      #expect(fast.root.json == slow.root.json)
    }
  }

  @Test("10,000 random damages neither trap nor part the readers")
  func damages() throws {
    var random = SeededRandom(seed: 2)
    let marks = Array("[]{},:\"\\0-.eEtfnu \u{E9}".utf8) + [0x00, 0x1F, 0xFF, 0xED, 0xA0, 0x80]
    var text = RandomDocument.text(using: &random)
    var accepted = (clean: 0, mended: 0)
    for round in 0..<10_000 {
      if round % 50 == 0 { text = RandomDocument.text(using: &random) }
      var damaged = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0...damaged.count, using: &random)
        let mark = marks[Int.random(in: 0..<marks.count, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged.insert(mark, at: place)
        case 1 where place < damaged.count: damaged[place] = mark
        default: if place < damaged.count { damaged.remove(at: place) }
        }
      }
      guard let document = try? JSONDocument.read(damaged) else { continue }
      if document.isReadTolerantly {
        accepted.mended += 1
        // It had a reason, and what it repaired is clean except for huge numbers.
        let again = try JSONDocument.read(document.root.json)
        #expect(
          document.repairedStrings > 0 || damaged.contains(where: { $0 < 0x20 })
            || again.isReadTolerantly,
          "\(String(decoding: damaged, as: UTF8.self))")
        #expect(again.repairedStrings == 0)
      } else {
        accepted.clean += 1
        let slow = try JSONDocument.readTolerantly(damaged)
        #expect(Self.areIdentical(document, slow), "\(String(decoding: damaged, as: UTF8.self))")
      }
    }
    // Both kinds of damage must occur, or this proves nothing.
    #expect(accepted.clean > 500 && accepted.mended > 500, "\(accepted)")
  }

  @Test("a document cut at any byte is an error that says so")
  func cut() throws {
    let text = Array(
      #" {"a":[1.5e3,-2,true,false,null,"é\u00e9\ud83d\ude00\n"],"b":{"c":{}, "d":[[]]}}"#.utf8)
    #expect(try !JSONDocument.read(text).isReadTolerantly)
    for end in 0..<text.count {
      #expect {
        _ = try JSONDocument.read(Array(text[..<end]))
      } throws: {
        ($0 as? JSONError)?.kind == (end < 2 ? .empty : .truncated)
          && ($0 as? JSONError)?.offset == end
      }
    }
  }

  @Test("one bad item costs that item only")
  func badItem() throws {
    let items = (0..<100).map { index in
      index == 42
        ? #"{"id":18446744073709551616,"t":"\ud800x","p":1e400}"# : #"{"id":\#(index),"t":"x"}"#
    }
    let root = try document("{\"items\":[" + items.joined(separator: ",") + "]}").root
    #expect(root.document.repairedStrings == 1)
    let read = try #require(root["items"]).elements.map { $0 }
    #expect(read.count == 100)
    for (index, item) in read.enumerated() where index != 42 {
      #expect(item["id"]?.integer == Int64(index))
    }
    #expect(read[42]["t"]?.string == "\u{FFFD}x")
    #expect(read[42]["id"]?.rawNumber == "18446744073709551616")
    #expect(read[42]["id"]?.integer == nil)
    #expect(read[42]["p"]?.real == nil)
    #expect(read[42]["p"]?.rawNumber == "1e400")
  }

  @Test("counts are right beyond the 24 bits that the tape has for them")
  func saturatedCount() throws {
    // A hand-made tape: 2^24 numbers would take seconds to read.
    let words: [UInt64] = [
      Tape.word(Tape.Tag.root, 8), Tape.word(Tape.Tag.array, Int(Tape.countMask) << 32 | 7),
      Tape.word(Tape.Tag.yes, 0), Tape.word(Tape.Tag.array, 5), Tape.word(Tape.Tag.arrayEnd, 3),
      Tape.word(Tape.Tag.null, 0), Tape.word(Tape.Tag.arrayEnd, 1), Tape.word(Tape.Tag.root, 0),
    ]
    let bytes: [UInt8] = [0]
    words.withUnsafeBufferPointer { words in
      bytes.withUnsafeBufferPointer { bytes in
        guard let words = words.baseAddress, let bytes = bytes.baseAddress else { return }
        let tape = Tape(words: words, strings: bytes, source: bytes, sourceCount: 0)
        #expect(tape.count(1) == 3)
      }
    }
  }

  @Test("keeps the bytes of what it repaired, so that two strings that look alike are not the same")
  func identity() throws {
    let text = #"[{"id": "a\ud800", "b": "c"}, {"id": "a\ud801", "b": "c"}, {"id": "d"}]"#
    let records = Array(try JSONDocument.read(Array(text.utf8)).root.elements)
    let ids = try records.map { try #require($0.members.first { $0.key.string == "id" }?.value) }
    #expect(ids[0].string == ids[1].string)
    #expect(
      ids.map { $0.bytesBeforeRepair.map { String(decoding: $0, as: UTF8.self) } }
        == [#"a\ud800"#, #"a\ud801"#, nil])
    #expect(records[0].json == records[1].json && records[0].identity != records[1].identity)
    #expect(records[2].identity == records[2].json)
  }
}

extension JSONDocument {
  /// simdjson refused the document and our own reader accepted it.
  var isReadTolerantly: Bool { if case .ours = owner { true } else { false } }
}
