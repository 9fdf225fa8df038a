import Base
@testable import Walk
import Testing

/// What a job's paths find in a feed.
@Suite("A feed")
struct FeedShapeTests {
  static let address = "https://example.com/blog/feed.xml"

  static func json(_ text: String, charset: String? = nil) throws -> JSONValue {
    try json(Array(text.utf8), charset: charset)
  }

  static func json(_ bytes: [UInt8], charset: String? = nil) throws -> JSONValue {
    let json = try FeedReader.json(bytes, charset: charset, from: try WebAddress(address))
    return try JSONDocument.read(json).root
  }

  static func texts(_ value: JSONValue?) -> [String] {
    value.map { Array($0.elements).compactMap(\.string) } ?? []
  }

  @Test(
    "says how long its list is, in each version of OpenSearch",
    arguments: ["opensearch/1.1", "opensearch/1.0", "opensearchrss/1.0"])
  func lengths(version: String) throws {
    let space = "xmlns:o=\"http://a9.com/-/spec/\(version)/\""
    let said =
      "<o:totalResults>460</o:totalResults><o:startIndex> 0 </o:startIndex><o:itemsPerPage>x</o:itemsPerPage>"
    for feed in [
      "<feed xmlns=\"http://www.w3.org/2005/Atom\" \(space)>\(said)</feed>",
      "<rss \(space)><channel>\(said)</channel></rss>",
    ] {
      let root = try Self.json(feed)
      #expect(root["totalResults"]?.integer == 460 && root["startIndex"]?.integer == 0)
      #expect(root["itemsPerPage"] == nil && root["items"]?.count == 0)
    }
  }

  @Test("keeps the markup in a text, and takes the picture of a podcast's episode for the entry's")
  func episode() throws {
    let root = try Self.json(
      """
      <rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item>
        <title>A <b>bold</b> one</title><itunes:image href="/cover.png"/></item></channel></rss>
      """)
    let item = try #require(root["items"]?.elements.first { _ in true })
    #expect(item["title"]?.string == "A <b>bold</b> one")
    #expect(item["image"]?.string == "https://example.com/cover.png")
  }

  @Test("has each entry of any kind, and says where it ends and where its archive is")
  func mixed() throws {
    let atom = try Self.json(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><link rel="last" href="?page=9"/>
        <link rel="prev-archive" href="/2025"/><entry><id>1</id></entry>
        <entry xmlns="http://purl.org/atom/ns#"><id>2</id></entry></feed>
      """)
    #expect(atom["last"]?.string == "https://example.com/blog/feed.xml?page=9")
    #expect(atom["prevArchive"]?.string == "https://example.com/2025")
    let rss = try Self.json(
      """
      <rss><channel><item><guid>1</guid></item></channel>
        <channel><item xmlns="http://purl.org/rss/1.0/"><guid>2</guid></item></channel></rss>
      """)
    for root in [atom, rss] {
      let items = try #require(root["items"])
      #expect(items.elements.map { $0["id"]?.string } == ["1", "2"])
    }
  }

  @Test("is read as the libraries of the field read it: odd edges, letters by name, a wrong byte")
  func tolerated() throws {
    let item = "<item><guid>1</guid><title>TITLE</title></item>"
    let sound = "<?xml version=\"1.0\"?><rss><channel>\(item)</channel></rss>"
    for (front, end) in [
      ("\n", ""), ("\r\n  \t\n", ""), ("", "\n<!-- served in 3 ms -->"), ("", "\n<script>x"),
      ("\n", "junk & more"),
      ("", "</rss>"), ("", "\u{0}\u{0}"),
    ] {
      let root = try Self.json(front + sound + end)
      #expect(
        root["items"]?[0]?["id"]?.string == "1", "\(front.debugDescription) \(end.debugDescription)"
      )
    }
    for (written, read) in [
      ("a&nbsp;b", "a\u{A0}b"), ("&eacute;&hellip;&amp;&#233;", "é…&é"), ("&nosuch;", "&nosuch;"),
      ("&lt;&yuml;", "<ÿ"),
      ("&THORN;&times;&Oslash;", "Þ×Ø"),
    ] {
      let root = try Self.json(sound.replacing("TITLE", with: written))
      #expect(root["items"]?[0]?["title"]?.string == read, "\(written)")
    }
    // An invalid byte affects only itself.
    let parts = sound.split(separator: "TITLE").map { Array($0.utf8) }
    for wrong: [UInt8] in [[0xE9], [0xC3], [0xFF, 0xFE], [0xED, 0xA0, 0x80]] {
      let root = try Self.json(
        parts[0] + Array("caf".utf8) + wrong + Array(" au lait".utf8) + parts[1])
      let title = try #require(root["items"]?[0]?["title"]?.string)
      #expect(title.hasPrefix("caf\u{FFFD}") && title.hasSuffix(" au lait"), "\(title)")
    }
    // In a declared encoding nothing is repaired.
    #expect(throws: FeedProblem.self) {
      try Self.json(
        Array("<?xml version=\"1.0\" encoding=\"us-ascii\"?><rss>".utf8) + [0xE9]
          + Array("</rss>".utf8))
    }
  }

  @Test("in RSS 2.0 is read with its ids, times, authors, pictures and files")
  func rss() throws {
    let root = try Self.json(
      """
      <?xml version="1.0"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:atom="http://www.w3.org/2005/Atom">
      <channel><title>News</title><link>https://example.com/</link><language>de</language>
        <lastBuildDate>Sat, 07 Nov 2026 00:00:01 GMT</lastBuildDate>
        <atom:link rel="self" href="https://example.com/feed.xml"/>
        <item>
          <title>One &amp; only</title><link>/posts/1#top</link>
          <guid isPermaLink="false">tag:1</guid>
          <pubDate>Mon, 6 Sep 2026 16:20:00 -0500</pubDate>
          <description><![CDATA[<p>Short</p>]]></description>
          <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
          <dc:creator>Ann</dc:creator><dc:creator>Bea</dc:creator>
          <category>a</category><category domain="x">b</category>
          <comments>1/comments</comments>
          <enclosure url="cast.mp3" type="audio/mpeg" length="1234"/>
          <media:group><media:content url="big.jpg" medium="image"/>
            <media:thumbnail url="/small.jpg" width="1"/></media:group>
        </item>
        <item><guid>https://example.com/posts/2</guid><author>c@example.com (Cy)</author></item>
        <item><title>Three</title><link>https://example.com/posts/3</link></item>
        <item><title>Four</title></item>
      </channel></rss>
      """)
    let feed = try #require(root["feed"])
    #expect(feed["kind"]?.string == "rss" && feed["title"]?.string == "News")
    #expect(feed["updated"]?.string == "2026-11-07T00:00:01Z" && feed["language"]?.string == "de")
    #expect(root["next"] == nil)
    let items = try #require(root["items"])
    let one = try #require(items[0])
    #expect(one["id"]?.string == "tag:1" && one["title"]?.string == "One & only")
    #expect(one["link"]?.string == "https://example.com/posts/1#top")
    #expect(one["published"]?.string == "2026-09-06T21:20:00Z" && one["updated"] == nil)
    #expect(one["summary"]?.string == "<p>Short</p>" && one["content"]?.string == "<p>Long</p>")
    #expect(one["author"]?.string == "Ann" && Self.texts(one["authors"]) == ["Ann", "Bea"])
    #expect(Self.texts(one["categories"]) == ["a", "b"])
    #expect(one["comments"]?.string == "https://example.com/blog/1/comments")
    #expect(one["image"]?.string == "https://example.com/small.jpg")
    let files = try #require(one["enclosures"])
    #expect(files[0]?["url"]?.string == "https://example.com/blog/cast.mp3")
    #expect(files[0]?["length"]?.integer == 1234 && files[0]?["type"]?.string == "audio/mpeg")
    #expect(files[1]?["url"]?.string == "https://example.com/blog/big.jpg")
    // An id may be a link, and vice versa; an entry may have neither.
    #expect(items[1]?["link"]?.string == "https://example.com/posts/2")
    #expect(items[1]?["author"]?.string == "c@example.com (Cy)")
    #expect(items[2]?["id"]?.string == "https://example.com/posts/3")
    #expect(items[3]?["id"] == nil && items[3]?["link"] == nil && items.count == 4)
  }

  @Test("in Atom is read with its links, bases and markup, and the page that follows")
  func atom() throws {
    let root = try Self.json(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/a/" xml:lang="en"
        xmlns:media="http://search.yahoo.com/mrss/">
        <id>urn:feed</id><title type="html">T &lt;b&gt;</title><updated>2026-01-01T00:00:00Z</updated>
        <link href="." /><link rel="next" href="?page=2"/>
        <entry xml:base="b/">
          <id>urn:1</id><title>First</title>
          <link rel="self" href="x"/><link rel="alternate" type="application/json" href="j"/>
          <link rel="alternate" type="text/html" href="h"/>
          <link rel="enclosure" type="Image/PNG" href="../p.png" length="9"/>
          <published>2026-01-01T10:00:00+02:00</published><updated>2026-01-02T00:00:00Z</updated>
          <author><name>Ann</name><email>a@example.com</email></author>
          <category term="t" label="Label"/><category term="u"/>
          <summary>S</summary>
          <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b class="x">&lt;b&gt;</b><br/></div></content>
        </entry>
      </feed>
      """)
    #expect(root["feed"]?["kind"]?.string == "atom" && root["feed"]?["title"]?.string == "T <b>")
    #expect(root["feed"]?["link"]?.string == "https://example.com/a/")
    #expect(root["feed"]?["language"]?.string == "en")
    #expect(root["next"]?.string == "https://example.com/a/?page=2")
    let one = try #require(root["items"]?[0])
    #expect(one["link"]?.string == "https://example.com/a/b/h")
    #expect(one["published"]?.string == "2026-01-01T10:00:00+02:00")
    #expect(one["updated"]?.string == "2026-01-02T00:00:00Z" && one["author"]?.string == "Ann")
    #expect(Self.texts(one["categories"]) == ["Label", "u"])
    #expect(one["content"]?.string == #"a <b class="x">&lt;b&gt;</b><br/>"#)
    #expect(one["image"]?.string == "https://example.com/a/p.png" && one["summary"]?.string == "S")
  }

  @Test("in RSS 1.0 has its items beside its channel")
  func rdf() throws {
    let root = try Self.json(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://example.com/"><title>Old</title></channel>
        <item rdf:about="https://example.com/1"><title>One</title><link>https://example.com/1</link>
          <dc:date>2026-03-04T05:06:07Z</dc:date><dc:subject>s</dc:subject></item>
      </rdf:RDF>
      """)
    #expect(root["feed"]?["kind"]?.string == "rdf" && root["feed"]?["title"]?.string == "Old")
    let one = try #require(root["items"]?[0])
    #expect(one["id"]?.string == "https://example.com/1" && one["title"]?.string == "One")
    #expect(one["published"]?.string == "2026-03-04T05:06:07Z")
    #expect(Self.texts(one["categories"]) == ["s"])
  }

  @Test(
    "says its times as all others do; one that nobody can read stays as it is",
    arguments: [
      ("Mon, 06 Sep 2026 16:20:00 +0000", "2026-09-06T16:20:00Z"),
      ("6 September 26 16:20 EST", "2026-09-06T21:20:00Z"),
      ("Sun, 06 Sep 2026 16:20:00 +05:30", "2026-09-06T10:50:00Z"),
      ("Sun, 31 Dec 1999 23:59:59 GMT", "1999-12-31T23:59:59Z"),
      ("Sun, 06 Sep 2026 16:20:00", "2026-09-06T16:20:00"),
      ("2026-09-06T16:20:00Z", "2026-09-06T16:20:00Z"), ("yesterday", "yesterday"),
      ("Mon, 32 Sep 2026 16:20:00 GMT", "Mon, 32 Sep 2026 16:20:00 GMT"),
      ("Mon, 06 Sep 2026 16:20:00 +9999", "Mon, 06 Sep 2026 16:20:00 +9999"),
      (
        "Mon, 06 Sep 99999999999999999999 16:20:00 GMT",
        "Mon, 06 Sep 99999999999999999999 16:20:00 GMT"
      ),
      ("6 Sep 9000000000000000000 16:20 GMT", "6 Sep 9000000000000000000 16:20 GMT"),
      ("", ""), (",,,,", ",,,,"),
    ])
  func times(text: String, plain: String) { #expect(FeedTime.plain(text) == plain) }

  /// The title of a feed whose text between its tags is these bytes.
  private static func title(
    _ head: String, _ bytes: [UInt8], _ charset: String? = nil
  ) throws -> String? {
    let close = "</title><item><link>https://example.com/</link></item></channel></rss>"
    let text = Array("\(head)<rss><channel><title>".utf8) + bytes + Array(close.utf8)
    return try json(text, charset: charset)["feed"]?["title"]?.string
  }

  @Test("may be written in UTF-8, else in any encoding of one byte, as it or the server says")
  func encodings() throws {
    let letter = Array("é".utf8)
    #expect(try Self.title("", letter) == "é")
    // The document overrules the server.
    #expect(
      try Self.title("<?xml version='1.0' encoding='utf-8'?>", letter, "iso-8859-1") == "é")
    // But letters in UTF-8 overrule both, though one is cut.
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>"
    for charset in ["UTF-8", "iso-8859-1", nil] {
      #expect(try Self.title(latin, Array("é €".utf8), charset) == "é €")
      #expect(try Self.title("", Array("é €".utf8) + [0xC3], charset) == "é €\u{FFFD}")
      #expect(try Self.title(latin, Array("é €".utf8) + [0xC3], charset) == "é €\u{FFFD}")
    }
    #expect(try Self.title(latin, [0xE9], "utf-8") == "é")
    #expect(try Self.title(latin, [0xE9], "utf-8") == "é")
    let wide = Array("\u{FEFF}<rss><channel><title>é</title></channel></rss>".utf16)
      .flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try Self.json(wide)["feed"]?["title"]?.string == "é")
    for name in ["shift_jis", "no-such"] {
      let problem = #expect(throws: FeedProblem.self) {
        try Self.title("<?xml version='1.0' encoding='\(name)'?>", [0x41])
      }
      #expect(problem?.sentence.contains("written in \(name), which is not read") == true)
      // It is not requested again, unlike a body that was damaged on its way.
      #expect(problem?.isOther == true)
    }
    #expect(throws: FeedProblem.self) {
      try Self.title("<?xml version='1.0' encoding='../../etc'?>", [0x41])
    }
    #expect(try Self.title("", [0xE9]) == "\u{FFFD}")
  }

  @Test(
    "is read by names of encodings as people write them, and by letters of each kind",
    arguments: [
      ("utf8", [0xC3, 0xA9], "é"), ("UTF_8", [0xF0, 0x9F, 0x90, 0x9F], "🐟"),
      ("latin1", [0xE9], "é"), ("ISO8859-1", [0xE9], "é"), ("iso8859-15", [0xA4], "€"),
      ("ISO-8859-1", [0xE9], "é"), ("windows-1252", [0x80], "€"), ("windows-1251", [0xC6], "Ж"),
      ("latin9", [0xA4], "€"), ("latin2", [0xA3], "Ł"), ("ISO_8859-2", [0xB1], "ą"),
      ("cp1252", [0x93, 0x94], "“”"), ("cp1250", [0x8A], "Š"), ("windows-1253", [0xE1], "α"),
      ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"), ("KOI8-R", [0xC1], "а"),
      ("koi8-u", [0xA4], "є"), ("IBM866", [0x80], "А"), ("macintosh", [0x8E], "é"),
      ("tis-620", [0xA1], "ก"), ("ascii", [0x41], "A"),
    ] as [(String, [UInt8], String)])
  func names(encoding: String, bytes: [UInt8], letters: String) throws {
    let said = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>"
    #expect(try Self.title(said, bytes) == letters)
    let blank = "<?xml version='1.0' encoding = '\(encoding)' ?>"
    #expect(try Self.title(blank, bytes, "utf-16") == letters)
    #expect(try Self.title("", bytes, encoding) == letters)
  }

  @Test("has no letter for a byte that its encoding leaves free")
  func freeBytes() {
    for (encoding, byte) in [("windows-1252", 0x81), ("ascii", 0xE9)] as [(String, UInt8)] {
      #expect(throws: FeedProblem.self) {
        try Self.title("<?xml version='1.0' encoding='\(encoding)'?>", [byte])
      }
    }
  }
}
