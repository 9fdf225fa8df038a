/// NewsAPI's words: `"a phrase"`, `+must`, `-not`, AND, OR, NOT and brackets. Words that stand side
/// by side must all be there.
struct NewsAPIQuery: Sendable {
  indirect enum Node: Sendable {
    case word([UInt8])
    case not(Node)
    case all([Node])
    case any([Node])

    func holds(in text: [UInt8]) -> Bool {
      switch self {
      case .word(let word): TextMatch.holds(text, word)
      case .not(let node): !node.holds(in: text)
      case .all(let nodes): nodes.allSatisfy { $0.holds(in: text) }
      case .any(let nodes): nodes.contains { $0.holds(in: text) }
      }
    }
  }

  let node: Node
  private static let depthMax = 20

  init(_ text: String) {
    var words = Self.words(text)[...]
    node = Self.read(&words, depth: 0)
  }

  func holds(in text: String) -> Bool { node.holds(in: TextMatch.folded(text)) }

  private static func read(_ words: inout ArraySlice<String>, depth: Int) -> Node {
    var choices: [[Node]] = [[]]
    var isNegated = false
    while let word = words.popFirst() {
      var node: Node
      switch word {
      case ")": return joined(choices)
      case "AND": continue
      case "OR":
        choices.append([])
        continue
      case "NOT", "-":
        isNegated.toggle()
        continue
      case "(" where depth < depthMax: node = read(&words, depth: depth + 1)
      default:
        node = .word(TextMatch.folded(word.hasPrefix("\"") ? String(word.dropFirst()) : word))
      }
      if isNegated { node = .not(node) }
      isNegated = false
      choices[choices.count - 1].append(node)
    }
    return joined(choices)
  }

  private static func joined(_ choices: [[Node]]) -> Node {
    let all = choices.map(Node.all)
    return all.count == 1 ? all[0] : .any(all)
  }

  /// Brackets, a leading `-`, phrases (with their opening quote) and words.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var rest = text[...]
    while let first = rest.first {
      let next = rest.dropFirst().first ?? " "
      switch first {
      case " ":
        rest = rest.dropFirst()
      case "+" where next != "+" && next != " ":
        rest = rest.dropFirst()
      case "(", ")", "-":
        words.append(String(first))
        rest = rest.dropFirst()
      case "\"":
        let phrase = rest.dropFirst().prefix { $0 != "\"" }
        words.append("\"" + phrase)
        rest = rest.dropFirst(phrase.count + 2)
      default:
        let word = rest.prefix { !" ()\"".contains($0) }
        words.append(String(word))
        rest = rest.dropFirst(max(1, word.count))
      }
    }
    return words
  }
}
