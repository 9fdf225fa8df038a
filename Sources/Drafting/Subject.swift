public import Base

/// The user's input for a draft: the address of a list, and how it is requested. It has no secret, only its place.
public struct Subject: Sendable {
  public struct Parameter: Equatable, Sendable {
    public var name: String
    public var value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  var origin: Origin
  /// As sent.
  var path: String
  /// From the address; for a POST the scalars of its body, by path.
  var parameters: [Parameter]
  /// The body of a POST, whose query stays as it is.
  var body: BodyValue?
  var query: [Parameter] = []
  var fields: [HeaderField]
  /// The name of the job.
  var jobName: String
  /// Its file has the same name.
  public var isNamedByFile = true
  /// Base and table names of an existing job, to which the draft is added.
  public var base: WebAddress?
  public var namesTaken: Set<String> = []
  var place: Credential.Place?
  var secretName: String?
  /// The date in the draft's head.
  var date: String

  public init(
    _ address: WebAddress, fields: [HeaderField] = [], jobName: String,
    place: Credential.Place? = nil,
    secretName: String? = nil, date: String, body: BodyValue? = nil
  ) {
    let address = address.removing(place)
    origin = address.origin
    path = address.path
    parameters = Self.parameters(of: address)
    if let body { (self.body, query, parameters) = (body, parameters, Self.scalars(of: body)) }
    self.fields = fields
    self.jobName = jobName
    self.place = place
    self.secretName = secretName
    self.date = date
  }

  /// The query of an address, decoded, in order.
  public static func parameters(of address: WebAddress) -> [Parameter] {
    (address.query ?? "").split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = sides.map {
        String(decoding: PercentEncoding.decoded($0, plusIsSpace: true), as: UTF8.self)
      }
      return Parameter(parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The values that an address has under this name, in capital letters or not.
  static func values(of name: String, in address: WebAddress) -> [String] {
    parameters(of: address).filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The list's address with these parameters set, replacing those with the same names.
  func address(setting changes: [Parameter] = []) -> WebAddress {
    var changed = self
    for change in changes { changed.set(change) }
    return changed.parameters.reduce(WebAddress(origin: origin, path: path)) {
      $0.adding($1.name, $1.value)
    }
  }

  func without(_ names: [String]) -> Subject {
    var bare = self
    bare.parameters.removeAll { names.contains($0.name) }
    return bare
  }

  mutating func set(_ change: Parameter) {
    if let at = parameters.firstIndex(where: { $0.name == change.name }) {
      parameters[at].value = change.value
    } else {
      parameters.append(change)
    }
  }

  func value(of name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Words that may be the list's name.
  var words: Set<String> {
    let values = parameters.map(\.value).filter { $0.utf8.count < 40 }
    return Set(([pathWord] + values).map(ParameterWords.plain))
  }

  /// How many records the request asks for.
  var sizes: Set<Int> {
    Set(parameters.filter { ParameterWords.isSize(word($0.name)) }.compactMap { Int($0.value) })
  }

  /// The first numeric parameter with one of these names, ignoring case and punctuation.
  func number(among words: Set<String>) -> (name: String, value: Int)? {
    for parameter in parameters where words.contains(ParameterWords.plain(word(parameter.name))) {
      if let value = Int(parameter.value) { return (parameter.name, value) }
    }
    return nil
  }

  /// Starts at the first page, whatever page the address is.
  /// - Returns: remarks on what was changed.
  mutating func beginAtTheFront() -> [String] {
    var remarks: [String] = []
    for sent in parameters where !sent.value.isEmpty {
      let plain = ParameterWords.plain(word(sent.name))
      if ParameterWords.place.contains(plain), sent.value != "*" {
        parameters.removeAll { $0.name == sent.name }
        remarks.append("\(sent.name) of the address was left out: a job begins with the first page")
        continue
      }
      guard let number = Int(sent.value), number > 1 else { continue }
      let isPage = ParameterWords.page.contains(plain)
      guard isPage || ParameterWords.offset.contains(plain) else { continue }
      let first = isPage || plain == "startindex" ? "1" : "0"
      set(Parameter(sent.name, first))
      remarks.append(
        "\(sent.name)=\(sent.value) of the address became \(first): a job begins with the first page"
      )
    }
    return remarks
  }

  /// `things` for `/v1/things.json`.
  public var pathWord: String {
    let parts = path.split(separator: "/").map(String.init)
    let word = parts.last { part in !part.utf8.allSatisfy { (48...57).contains($0) } } ?? ""
    return word.split(separator: ".").first.map(String.init) ?? ""
  }
}
