import Base
@testable import Walk
import Testing

@Suite("What comes in the place of a feed")
struct HostileFeedTests {
  private static func problem(_ text: String) -> FeedProblem? {
    do {
      _ = try FeedShapeTests.json(text)
      return nil
    } catch {
      return error as? FeedProblem
    }
  }

  @Test(
    "is told from a feed that was cut or damaged on its way",
    arguments: [
      ("<!DOCTYPE html><html><head><title>x</title></head></html>", "begins with <html>"),
      ("<html><body><p>Not <br> sound</body></html>", "begins with <html>"),
      ("{\"error\": 1}", "nor XML at all"), ("Too many requests", "nor XML at all"),
      ("<opml version='2.0'><body/></opml>", "begins with <opml>"),
      ("<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id></entry>", "begins with <entry>"),
      ("<feed><entry/></feed>", "begins with <feed>"), ("<rss version='2.0'/>", "no channel"),
    ])
  func others(text: String, why: String) {
    let problem = Self.problem(text)
    #expect(problem?.isOther == true)
    #expect(problem?.sentence.contains(why) == true, "\(problem?.sentence ?? "none")")
  }

  @Test("is no feed wherever it was cut")
  func cuts() {
    let whole =
      "<?xml version=\"1.0\"?><rss><channel><item><guid>1</guid><title>é</title></item></channel></rss>"
    #expect(Self.problem(whole) == nil)
    for length in 1..<whole.unicodeScalars.count {
      // cut: truncation is what this tests
      let text = String(String.UnicodeScalarView(whole.unicodeScalars.prefix(length)))
      #expect(Self.problem(text)?.isOther == false, "\(text)")
    }
  }

  @Test("may declare no entities, and reads none from elsewhere")
  func entities() {
    let laughs = (1...9).map {
      "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">"
    }
    for declared in [
      "<!ENTITY l0 \"lol\">" + laughs.joined(), "<!ENTITY x SYSTEM \"file:///etc/passwd\">",
      "<!ENTITY % p SYSTEM \"https://example.com/x.dtd\"> %p;",
      "<!ENTITY % a \"<!ENTITY b 'c'>\"> %a;",
    ] {
      let text = "<!DOCTYPE rss [\(declared)]><rss><channel><title>&l9;&x;</title></channel></rss>"
      #expect(Self.problem(text)?.sentence.contains("entities of its own") == true)
    }
    // An undeclared entity is ignored; nothing is fetched for it.
    let outside =
      "<!DOCTYPE rss PUBLIC \"-//N//DTD RSS 0.91//EN\" \"https://example.com/rss.dtd\"><rss><channel>"
      + "<title>a&nbsp;b</title></channel></rss>"
    #expect(Self.problem(outside) == nil)
    #expect(Self.problem("<rss><channel><title>a & b</title></channel></rss>")?.isOther == false)
  }

  @Test("has bounds: depth, elements, name spaces, and what its links repeat")
  func bounds() throws {
    let deep = String(repeating: "<a>", count: 5_000)
    let many = String(repeating: "<a/>", count: 300_001)
    let space = String(repeating: "n", count: 1_001)
    let base = "https://example.com/" + String(repeating: "b", count: 1_900) + "/"
    let items = String(repeating: "<item><link>a</link></item>", count: 2_000)
    for (text, words) in [
      ("<rss><channel>\(deep)", "100 levels"),
      ("<rss><channel>\(many)</channel></rss>", "300,000"),
      ("<rss xmlns:a='\(space)'><channel/></rss>", "name space"),
      ("<rss xml:base='\(base)'><channel>\(items)</channel></rss>", "more than it holds"),
    ] { #expect(Self.problem(text)?.sentence.contains(words) == true, "\(words)") }
    // A longer one is ignored as a base.
    let longer = "<rss xml:base='https://example.com/\(String(repeating: "b", count: 9_000))'>"
    let root = try FeedShapeTests.json(
      "\(longer)<channel><item><link>a</link></item></channel></rss>")
    #expect(root["items"]?[0]?["link"]?.string == "https://example.com/blog/a")
  }

  @Test("may hold one text of many megabytes")
  func huge() throws {
    let text = String(repeating: "x", count: 8_000_000)
    let root = try FeedShapeTests.json(
      "<rss><channel><item><guid>1</guid><description>\(text)</description></item></channel></rss>")
    #expect(root["items"]?[0]?["summary"]?.string?.utf8.count == 8_000_000)
  }

  @Test("is read or refused whatever is flipped in it, and never twice differently")
  func flipped() throws {
    let sound = Array(
      ("<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item><guid>1</guid>"
        + "<media:group><media:content url='a' fileSize='7'/></media:group></item></channel></rss>")
        .utf8)
    let address = try WebAddress(FeedShapeTests.address)
    for place in sound.indices {
      for byte: UInt8 in [0, 9, 0x22, 0x26, 0x3C, 0x3E, 0x80, 0xFF] {
        var bytes = sound
        bytes[place] = byte
        // A refusal is as good as a reading.
        let one = try? FeedReader.json(bytes, charset: nil, from: address)
        let other = try? FeedReader.json(bytes, charset: nil, from: address)
        #expect(one == other)
      }
    }
  }
}
