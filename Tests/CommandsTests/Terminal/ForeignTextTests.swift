@testable import Commands
import TestSupport
import Testing

@Suite("Text from outside")
struct ForeignTextTests {
  @Test(
    "what could act on a terminal is shown, not obeyed",
    arguments: [
      ("a\u{1b}[31mb", "a\\x1b[31mb"),
      ("\u{1b}]0;title\u{7}", "\\x1b]0;title\\x07"),
      ("\u{1b}]8;;http://x\u{1b}\\y", "\\x1b]8;;http://x\\x1b\\y"),
      ("\u{9b}2J", "\\x9b2J"), ("\u{90}q\u{9c}", "\\x90q\\x9c"),
      ("over\rwrite\u{8}\u{7f}", "over\\rwrite\\x08\\x7f"),
      ("nul\0\u{1}", "nul\\0\\x01"),
      ("one\ntwo\tthree", "one\\ntwo\\tthree"),
      ("\u{202e}gnp.exe", "\\u{202e}gnp.exe"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
      ("\u{61c}\u{200e}\u{200f}", "\\u{61c}\\u{200e}\\u{200f}"),
      ("pay\u{200b}pal", "pay\\u{200b}pal"), ("pay\u{200d}pal", "pay\\u{200d}pal"),
      ("\u{feff}bom", "\\u{feff}bom"), ("so\u{ad}ft", "so\\xadft"),
      ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("\u{e0041}", "\\u{e0041}"),
      ("\u{3164}", "\\u{3164}"), ("\u{301}a", "\\u{301}a"), ("a\u{200d}", "a\\u{200d}"),
    ])
  func hostile(text: String, shown: String) {
    #expect(ForeignText.cleaned(text) == shown)
  }

  @Test(
    "what people write stays as it is",
    arguments: [
      "plain", "naïve café", "e\u{301}", "한국어 검색", "日本語", "עברית", "العربية",
      "می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}💻 👨\u{200d}👩\u{200d}👧", "❤️", "👍🏽", "🇰🇷", "1️⃣",
      "€ £ ½ → …", "\u{605}1",
    ])
  func friendly(text: String) {
    #expect(Array(ForeignText.cleaned(text).utf8) == Array(text.utf8))
  }

  @Test("line ends and tabs stay only where lines are asked for")
  func lines() {
    #expect(ForeignText.cleaned("a\n\tb\r", keepsLines: true) == "a\n\tb\\r")
  }

  @Test(
    "bytes that are no UTF-8 become visible",
    arguments: [
      ([UInt8(0x61), 0xff, 0x62], "a\\xffb"), ([0xc0, 0x80], "\\xc0\\x80"),
      ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"), ([0xe2, 0x82], "\\xe2\\x82"),
      ([0xf5, 0x80, 0x80, 0x80], "\\xf5\\x80\\x80\\x80"),
      ([0xf0, 0x80, 0x80, 0x80], "\\xf0\\x80\\x80\\x80"),
      ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"), ([0xe2, 0x82, 0xac], "€"),
    ])
  func bytes(bytes: [UInt8], shown: String) {
    #expect(ForeignText.cleaned(bytes) == shown)
  }

  @Test("a tower of marks does not grow over its neighbours")
  func marks() {
    let tower = "a" + String(repeating: "\u{30d}", count: 5000)
    let kept = ForeignText.cleaned(tower).unicodeScalars.filter { $0.value == 0x30d }
    #expect(kept.count == 8)
  }

  @Test("cleaning twice is cleaning once", arguments: HostileText.samples(count: 300, seed: 3))
  func idempotent(sample: HostileText) {
    let once = ForeignText.cleaned(sample.bytes)
    #expect(ForeignText.cleaned(once) == once)
  }

  @Test(
    "columns are counted as terminals count them",
    arguments: [
      ("abc", 3), ("é", 1), ("e\u{301}", 1), ("한국", 4), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("👍", 2),
      ("❤️", 2), ("❤", 1), ("🇰🇷", 4), ("", 0), ("…", 1), ("✅", 2),
    ])
  func widths(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "a cut text is never wider than asked, and says that it is cut",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("한국어", 6, "한국어"), ("한국어", 5, "한국…"),
      ("한국어", 4, "한…"), ("한국어", 1, "…"), ("abc", 0, ""),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ])
  func truncation(text: String, columns: Int, cut: String) {
    #expect(DisplayWidth.truncated(text, to: columns) == cut)
    #expect(DisplayWidth.of(DisplayWidth.fitted(text, to: columns)) == columns)
  }
}
