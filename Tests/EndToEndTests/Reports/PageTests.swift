import Glibc
import TestSupport
import Testing

/// The page of a run whose API has the worst possible titles.
@Suite("The page of a run against a hostile API", .prompt)
struct PageTests {
  private let home = Home()
  static let titles = [
    "<script>pwned = 1</script>", "\\\"><img src=http://evil.example/x onerror='pwned=1'>",
    "' onload='pwned=1", "</title></style></script><script>pwned=1</script>", "<!--", "-->", "]]>",
    "javascript:pwned=1", "&lt;b&gt; &#60;script&#62;", "<base href=http://evil.example/>",
    "<iframe src=http://evil.example></iframe>", "<svg onload=pwned=1>", "{{7*7}} ${7*7}",
    "\\u202egnp.exe", "\\u2066left\\u2067right", "\\u200b\\u200d\\ufeffhidden",
    "\\u0000nul\\u001b[2J",
    "👩\\u200d👩\\u200d👧\\u200d👦 🇰🇷 ❤️ 1️⃣", "한국어 제목 日本語 עברית العربية", "Z̷̢͓̈́a̸l̴g̶o̵",
    "\\ud800 lone", String(repeating: "W", count: 10_240),
    String(repeating: "wide ", count: 2_000), String(repeating: "한", count: 10_000), "", "   ",
  ]

  /// Records with hostile titles, a picture for each, a value that does not fit and a hostile reason.
  private static func server() -> AnswerServer {
    AnswerServer { call in
      if let number = call.target.split(separator: "/").last.flatMap({ Int($0) }) {
        return AnswerServer.Reply(fields: ["Content-Type: image/gif"], body: Picture.gif(number))
      }
      let items = titles.enumerated().map { index, title in
        "{\"id\":\(index + 1),\"title\":\"\(title)\",\"size\":\"\(title)\","
          + "\"cover\":\"\(call.origin)/\(index + 1)\"}"
      }
      return .json("{\"items\":[\(items.joined(separator: ","))]}")
    }
  }

  private static func job(_ base: String) -> String {
    """
    {
      name: "gallery", base: "\(base)/v1",
      params: { who: { default: ["<b>&amp;\\u202ewho"], about: "whose" } },
      streams: {
        items: {
          get: "/items", query: { who: "{who}" }, pages: { by: "single" }, records: "items",
          into: "items", list: "found", key: ["id"],
          columns: { id: "id as integer", title: "title", size: "size as integer", cover: "cover as url" },
          media: { cover: "cover" }, items: { title: "title", image: "cover" },
        },
      },
    }
    """
  }

  /// The reports folder after a run.
  private static func reports(in home: Home) async throws -> String {
    let server = server()
    let job = home.write(job(server.origin), to: "gallery.json5")
    // The sizes do not fit.
    await home.trawl("run", job, "--allow-loopback", ends: 3)
    return "\(home.data)/reports"
  }

  @Test("is made of our own tags alone, shows every picture, and refers to nothing")
  func structure() async throws {
    let folder = try await Self.reports(in: home)
    let page = try StoredReport("gallery", in: home).page
    let structure = PageStructure(page)
    #expect(structure.problems == [])
    #expect(structure.images == Self.titles.count)
    #expect(page.utf8.count < 200_000, "10 KB words are cut")
    let index = try #require(Golden.read("\(folder)/index.html"))
    #expect(PageStructure(index).problems == [])
    let scalars = page.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n") || (0x200b...0x200f).contains($0.value)
        || (0x202a...0x202e).contains($0.value) || (0x2066...0x2069).contains($0.value)
    }
    #expect(scalars.isEmpty)
  }

  @Test("the reader of structure finds what is not ours")
  func findsProblems() {
    for page in [
      "<p><script>x</script></p>", "<p class=\"a\" onload=\"x\"></p>", "<p><bdi></p></bdi>",
      "<img src=\"http://a/\" alt=\"\">", "<img src=\"data:image/png;base64,AA\">", "<p>",
      "<a href=\"https://a\">x</a>", "<a href=\"../x\">x</a>", "<p", "<span style=\"a\"></span>",
    ] {
      #expect(!PageStructure(page).problems.isEmpty, "\(page)")
    }
    #expect(PageStructure("<p class=\"soft\"><bdi>a</bdi><br></p>").problems.isEmpty)
  }

  @Test(
    "a browser shows it in light and dark, at 400 and 1400 columns of dots, and asks for nothing",
    .enabled(if: getenv("TRAWL_BROWSER") != nil, "make report-test looks with a browser"))
  func browser() async throws {
    let folder = try await Self.reports(in: home)
    let script = Golden.root + "/.ci/pages"
    let ended = await BinaryRun.run(
      script, [folder], environment: ["HOME": home.scratch.path], ends: 0)
    #expect(ended.output.holds("\(Self.titles.count) images"), "\(ended.output)")
    // A page that does everything wrong is detected.
    home.makeFolder("\(folder)/bad")
    home.write(
      "<!DOCTYPE html><title>bad</title><div style='width:2000px'>x</div>"
        + "<img src='data:image/png;base64,AAAA'><script>pwned = 1</script>",
      to: "\(folder)/bad/1.html")
    let bad = await BinaryRun.run(
      script, ["\(folder)/bad"], environment: ["HOME": home.scratch.path], ends: 1)
    for word in ["wider than", "image", "script", "dark"] {
      #expect(bad.output.holds(word), "\(word): \(bad.output)")
    }
  }
}
