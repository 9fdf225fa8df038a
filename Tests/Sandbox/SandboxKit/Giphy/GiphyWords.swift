/// Trending words, and completions of typed ones.
enum GiphyWords {
  /// Letters of several scripts, and characters that URLs must escape.
  static let trending = [
    "good morning", "고양이", "AT&T", "happy birthday", "c#", "1+1=3", "either/or", "100%",
    "thank you", "안녕하세요", "¿qué?", "excited", "what?", "monday", "ok", "loading", "coffee",
    "party time", "사랑해", "mind blown", "applause", "eye roll", "see you", "weekend", "hungry",
    "no", "yes", "おはよう", "rock + roll", "cafe\u{301}",
  ]

  private static let heads = [
    "cat", "category", "catch", "cats", "coffee", "good", "goodbye", "happy", "love", "sad", "고양이",
    "좋은 아침", "c++", "r&b",
  ]
  private static let tails = ["", " day", " dance", " gif", " meme", " night", " reaction"]

  /// The completions of a text, byte by byte, in the order of the vocabulary.
  static func completions(of typed: String) -> [String] {
    let wanted = Array(typed.lowercased().utf8)
    return heads.flatMap { head in tails.map { head + $0 } }
      .filter { !wanted.isEmpty && $0.utf8.starts(with: wanted) }
  }
}
