internal import CExpat
internal import Glibc
internal import Base

/// One element of a document, with namespaces resolved.
struct XMLElement {
  enum Content {
    case text(String)
    case element(XMLElement)
  }

  /// Its namespace; empty if it has none.
  var space: String
  var name: String
  /// By `name`, or `namespace name` if it has a prefix.
  var attributes: [(name: String, value: String)] = []
  var content: [Content] = []

  subscript(_ attribute: String) -> String? {
    attributes.first { $0.name.utf8.elementsEqual(attribute.utf8) }?.value
  }

  var children: [XMLElement] {
    content.compactMap { if case .element(let inner) = $0 { inner } else { nil } }
  }

  func has(_ space: String, _ name: String) -> Bool {
    self.name.utf8.elementsEqual(name.utf8) && self.space.utf8.elementsEqual(space.utf8)
  }

  /// In any namespace.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  func all(_ space: String, _ name: String) -> [XMLElement] {
    children.filter { $0.has(space, name) }
  }

  func first(_ space: String, _ name: String) -> XMLElement? {
    for case .element(let inner) in content where inner.has(space, name) { return inner }
    return nil
  }
}

/// Parses a document with expat, all of it or nothing. It may come from anywhere: nothing outside it is loaded, it may
/// declare no entities, and its size is limited.
final class XMLTree {
  static let depthMax = 100
  static let elementsMax = 300_000
  /// Of a namespace, which expat repeats in each name.
  static let spaceBytesMax = 1_000
  /// Between a namespace and a name; neither can contain it.
  private static let separator = UInt8(ascii: "\n")

  private let parser: XML_Parser
  private let isWanted: (XMLElement) -> Bool
  private var open: [XMLElement] = []
  private var text: [UInt8] = []
  private var elements = 0
  private var root: XMLElement?
  /// Why parsing was stopped.
  private var refusal: FeedProblem?

  /// - Parameters:
  ///   - charset: the server's word for the encoding, if the document declares none.
  ///   - isWanted: whether to go on after the first element, which is still empty.
  static func read(
    _ bytes: [UInt8], charset: String?, isWanted: @escaping (XMLElement) -> Bool
  ) throws(FeedProblem) -> XMLElement {
    guard let parser = XML_ParserCreateNS(charset, XML_Char(bitPattern: separator)) else {
      throw FeedProblem("there is no memory to read it")
    }
    defer { XML_ParserFree(parser) }
    let tree = XMLTree(parser, isWanted)
    return try tree.read(bytes)
  }

  private init(_ parser: XML_Parser, _ isWanted: @escaping (XMLElement) -> Bool) {
    self.parser = parser
    self.isWanted = isWanted
  }

  private func read(_ bytes: [UInt8]) throws(FeedProblem) -> XMLElement {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    listen()
    _ = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        XML_Parse(parser, $0.baseAddress, Int32($0.count), Int32(XML_TRUE))
      }
    }
    if let refusal { throw refusal }
    // Anything after the end of the document is ignored.
    guard let root else { throw problem(bytes) }
    return root
  }

  private func problem(_ bytes: [UInt8]) -> FeedProblem {
    let code = XML_GetErrorCode(parser)
    let what = XML_ErrorString(code).map { String(cString: $0) } ?? "it cannot be read"
    let line = XML_GetCurrentLineNumber(parser)
    let first = bytes.first { !$0.isBlank }
    // A byte order mark may precede it; UTF-16 is XML in any case.
    let isXML =
      first == UInt8(ascii: "<") || bytes.starts(with: [0xEF, 0xBB, 0xBF]) || (first ?? 0) >= 0xFE
    return FeedProblem(
      isXML
        ? "the feed is not sound XML in line \(line): \(what)"
        : "the answer is not a feed, nor XML at all",
      isOther: !isXML)
  }

  /// The input is sound so far but unsupported: another request would bring the same.
  private func refuse(_ sentence: String) {
    if refusal == nil { refusal = FeedProblem(sentence, isOther: true) }
    _ = XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  // MARK: what expat calls

  private static func tree(_ data: UnsafeMutableRawPointer?) -> XMLTree? {
    data.map { Unmanaged<XMLTree>.fromOpaque($0).takeUnretainedValue() }
  }

  private func listen() {
    XML_SetElementHandler(
      parser, { XMLTree.tree($0)?.begin($1, $2) }, { data, _ in XMLTree.tree(data)?.end() })
    XML_SetCharacterDataHandler(parser) { data, text, count in
      guard let text else { return }
      XMLTree.tree(data)?.add(UnsafeBufferPointer(start: text, count: Int(count)))
    }
    // Undeclared HTML entities are resolved as in HTML; others stay as they are.
    _ = XML_UseForeignDTD(parser, XML_Bool(XML_TRUE))
    XML_SetSkippedEntityHandler(parser) { data, name, isParameter in
      guard isParameter == 0, let name = name.map({ String(cString: $0) }) else { return }
      XMLTree.tree(data)?.text += Array((XMLLetters.named[name] ?? "&\(name);").utf8)
    }
    XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
      XMLTree.tree(data)?.refuse("the feed declares entities of its own, which are not read")
    }
    XML_SetStartNamespaceDeclHandler(parser) { data, _, address in
      guard let address, strlen(address) > XMLTree.spaceBytesMax else { return }
      XMLTree.tree(data)?.refuse("the feed has a name space of more than 1,000 letters")
    }
    XML_SetUnknownEncodingHandler(
      parser,
      { data, name, info in
        guard let name = name.map({ String(cString: $0) }) else { return 0 }
        let isRead = XMLEncoding.fill(info, name)
        if isRead == 0 {
          XMLTree.tree(data)?.refuse(
            "the feed is written in \(name.shortened(to: 40)), which is not read: look for an address"
              + " that gives it in UTF-8 (UTF-16 and most encodings of one byte a letter are read, too)"
          )
        }
        return isRead
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  private func begin(
    _ name: UnsafePointer<XML_Char>?, _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    guard refusal == nil, let name else { return }
    elements += 1
    guard elements <= Self.elementsMax else {
      return refuse("the feed has more than 300,000 elements")
    }
    guard open.count < Self.depthMax else {
      return refuse("the feed is nested more than 100 levels deep")
    }
    closeText()
    let (space, own) = Self.parts(String(cString: name))
    var element = XMLElement(space: space, name: own)
    var at = 0
    while let pairs, let key = pairs[at], let value = pairs[at + 1] {
      let (space, own) = Self.parts(String(cString: key))
      element.attributes.append((space.isEmpty ? own : "\(space) \(own)", String(cString: value)))
      at += 2
    }
    if open.isEmpty, !isWanted(element) {
      return refuse("the answer is not a feed: it begins with <\(own.shortened(to: 40))>")
    }
    open.append(element)
  }

  private func end() {
    guard refusal == nil, !open.isEmpty else { return }
    closeText()
    let element = open.removeLast()
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].content.append(.element(element))
    }
  }

  private func add(_ part: UnsafeBufferPointer<XML_Char>) {
    guard refusal == nil else { return }
    text += part.lazy.map { UInt8(bitPattern: $0) }
  }

  private func closeText() {
    if !text.isEmpty, !open.isEmpty {
      open[open.count - 1].content.append(.text(String(decoding: text, as: UTF8.self)))
    }
    text.removeAll(keepingCapacity: true)
  }

  private static func parts(_ name: String) -> (space: String, name: String) {
    guard let at = name.utf8.lastIndex(of: separator) else { return ("", name) }
    return (String(name[..<at]), String(name[name.utf8.index(after: at)...]))
  }
}
