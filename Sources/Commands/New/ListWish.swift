internal import Base
internal import Drafting
internal import Jobs

/// The list that a command line names, and how to request it, with secrets kept apart.
struct ListWish: Sendable {
  var address: WebAddress
  var fields: [HeaderField] = []
  var place: Credential.Place?
  var jobName: String
  /// Set if it is requested by POST.
  var body: BodyValue?
  var secretName: String
  /// The existing job that gets the list.
  private(set) var addition: JobAddition?
  /// Nil: its place had `{key}`.
  private var secret: Secret?

  var origin: Origin { address.origin }

  init(_ invocation: Invocation, _ environment: Environment) throws(ExitReport) {
    do { address = try WebAddress(invocation.operands[0]) } catch {
      // Not repeated, as it may contain a password.
      throw ExitReport(
        .usage,
        error == .credentials
          ? "the address holds a user name or a password: give it as -H 'Authorization: Basic USER:{key}'"
          : "not an http or https URL, such as https://api.example/v1/things?limit=5")
    }
    if SecretName.isIn(path: address.path) {
      throw ExitReport(
        .usage, "the path of the address seems to hold a secret, and a job sends none there",
        "if the API takes it elsewhere too: -H 'NAME: {key}', or NAME={key} as a parameter")
    }
    if let query = address.query,
      String(validating: PercentEncoding.decoded(query), as: UTF8.self) == nil
    {
      throw ExitReport(
        .usage, "the query of the address is not in UTF-8, and a job file can hold nothing else",
        "write its letters in UTF-8: ü is %C3%BC, not %FC")
    }
    let output = invocation.text(.output)
    jobName = Self.jobName(address, output, known: environment.library.names)
    secretName = try Self.secretName(invocation, jobName)
    if let file = invocation.text(.into) { try join(JobAddition(file), output) }
    if let text = invocation.text(.post) {
      // Anything but JSON is refused.
      guard let root = JSONValue(text: text), root.isObject else {
        throw ExitReport(.usage, "--post takes a JSON object, such as '{\"page_size\": 5}'")
      }
      if let name = Self.secretMember(of: root) {
        throw ExitReport(
          .usage, "--post: \(name) seems to be a secret, and a job sends none in a body",
          "leave it out, or give it as a header (-H) or as a parameter of the address")
      }
      body = BodyValue(json: root)
    }
    try takeParameters()
    for text in invocation.texts(.header) { try take(header: text, named: invocation.has(.key)) }
    if let addition { try takeSecret(of: addition) }
    guard place == nil || origin.scheme == "https" || origin.isLoopback else {
      throw ExitReport(.secret, "a secret would travel unencrypted to \(origin): use https")
    }
  }

  private mutating func join(_ addition: JobAddition, _ output: String?) throws(ExitReport) {
    guard output == nil else {
      throw ExitReport(.usage, "--into adds to a file and -o writes another: give one of them")
    }
    try addition.check(address)
    self.addition = addition
    jobName = addition.job.name
  }

  /// The secret is the job's, even if it was typed for these requests.
  private mutating func takeSecret(of addition: JobAddition) throws(ExitReport) {
    guard let known = addition.job.authentication, known.token == nil, known.others.isEmpty else {
      guard place == nil else {
        throw ExitReport(
          .usage, "\(addition.file) does not say where a secret like this one goes",
          "declare auth in it first")
      }
      return
    }
    (place, secretName) = (known.place, known.secret)
  }

  /// A list from a description: its secret is asked for, or found like a job's.
  init(
    _ address: WebAddress, place: Credential.Place?, jobName: String, _ invocation: Invocation
  ) throws(ExitReport) {
    self.address = address
    self.jobName = jobName
    secretName = try Self.secretName(invocation, jobName)
    self.place = address.origin.scheme == "https" || address.origin.isLoopback ? place : nil
  }

  /// Not repeated if it is no name, as it may be the secret.
  private static func secretName(
    _ invocation: Invocation, _ jobName: String
  ) throws(ExitReport) -> String {
    guard let name = invocation.text(.key) else { return "\(jobName)-key" }
    guard SecretName.isWellFormed(name), !SecretName.looksLikeSecret(name) else {
      throw ExitReport(
        .usage, "--key takes a name for the secret: up to 64 letters, digits, '_', '-' and '.'",
        "the secret itself goes into a header or a parameter, or is asked for at {key}")
    }
    return name
  }

  /// The file for the draft.
  func file(_ invocation: Invocation) -> String {
    addition?.file ?? invocation.text(.output) ?? "./\(jobName).json5"
  }

  /// - Parameter file: the file for the draft.
  func subject(date: String, file: String) -> Subject {
    var subject = Subject(
      address, fields: fields, jobName: jobName, place: place,
      secretName: place == nil ? nil : secretName, date: date, body: body)
    subject.base = addition?.job.base
    subject.namesTaken = Set(
      (addition?.job.streams ?? []).flatMap { stream in
        [stream.name, stream.table] + [stream.membership?.table].compactMap { $0 }
          + stream.children.map(\.table)
      })
    subject.isNamedByFile = file.split(separator: "/").last.map(String.init) == "\(jobName).json5"
    return subject
  }

  // MARK: secrets

  private static let hole = "{key}"
  /// Words in names of secrets, in headers and parameters.
  private static let secretWords = [
    "cookie", "token", "key", "secret", "session", "password", "passwd",
    "credential", "signature", "jwt", "bearer",
  ]
  private static let secretNames: Set = ["appid", "sig", "pass", "pwd", "pw", "sid"]
  /// Names with such a word by chance, or for a position in the list.
  private static let harmlessWords = [
    "keyword", "pagetoken", "nexttoken", "continuationtoken", "tokenize", "keyset",
    "monkey", "startkey", "endkey", "sortkey", "orderkey", "keyby", "groupkey",
  ]

  private static func isSecret(_ name: String) -> Bool {
    let name = plain(name)
    // An author is no secret, but an author's token is.
    let isAuthorization = name.holds("authorization") || name.holds("auth") && !name.holds("author")
    return isAuthorization || secretNames.contains(name)
      || !harmlessWords.contains { name.holds($0) } && secretWords.contains { name.holds($0) }
  }

  /// By its name, or where a job file could not hold it.
  private static func isSecret(_ parameter: Subject.Parameter) -> Bool {
    let (name, value) = (parameter.name, parameter.value)
    return isSecret(name) && !isHarmless(parameter)
      || SecretName.isSecret(value, called: name) && !ParameterWords.isLater(name, value)
  }

  /// `query_key=1`, by its value: too short for a key, or a number. Passwords may be both.
  private static func isHarmless(_ parameter: Subject.Parameter) -> Bool {
    let length = parameter.value.utf8.count
    let isNumber = parameter.value.utf8.allSatisfy { (48...57).contains($0) }
    let name = plain(parameter.name)
    let isOfPerson = ["pass", "pwd", "pw", "secret"].contains(where: name.holds)
    return length == 0 || !isOfPerson && (length < 8 || isNumber && length < 16)
  }

  /// Parameters and headers whose values look random: their names say nothing, and they go into the file.
  var perhapsSecret: [String] {
    let parameters = Subject.parameters(of: address)
      .filter { !ParameterWords.isLater($0.name, $0.value) }.map { ($0.name, $0.value) }
    return (parameters + fields.map { ($0.name, $0.value) }).filter { Self.looksRandom($0.1) }.map {
      $0.0
    }
  }

  private static func looksRandom(_ value: String) -> Bool {
    let isDigit = { (byte: UInt8) in (48...57).contains(byte) }
    let isLetter = { (byte: UInt8) in (97...122).contains(byte | 32) }
    return value.utf8.count >= 20 && value.utf8.contains(where: isDigit)
      && value.utf8.contains(where: isLetter)
      && value.utf8.allSatisfy { isDigit($0) || isLetter($0) || "+/=_-".utf8.contains($0) }
  }

  /// The name of the first member that no job file may have.
  private static func secretMember(of value: JSONValue, called name: String = "") -> String? {
    for member in value.members {
      let inner = member.key.string ?? ""
      if let found = secretMember(of: member.value, called: inner) { return found }
    }
    for element in value.elements {
      if let found = secretMember(of: element, called: name) { return found }
    }
    return value.string.flatMap { text in
      SecretName.isSecret(text, called: name, inBody: true) ? name.harmless(upTo: 60) : nil
    }
  }

  private static func plain(_ name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { (97...122).contains($0) }, as: UTF8.self)
  }

  private mutating func takeParameters() throws(ExitReport) {
    for parameter in Subject.parameters(of: address) {
      let isHole = parameter.value == Self.hole
      guard isHole || Self.isSecret(parameter) else { continue }
      try take(
        .query(name: parameter.name), isHole ? nil : parameter.value)
    }
    address = address.removing(place)
  }

  /// The header is not repeated, as it may be a secret.
  private static let headerForm =
    "-H takes 'NAME: VALUE', such as -H 'Accept: application/json'"

  private mutating func take(header text: String, named: Bool) throws(ExitReport) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
      throw ExitReport(.usage, Self.headerForm)
    }
    let name = String(text[..<colon]).trimmingBlanks
    let value = String(text[text.utf8.index(after: colon)...]).trimmingBlanks
    guard HeaderText.isName(name) else { throw ExitReport(.usage, Self.headerForm) }
    if let problem = HeaderText.problem(name: name) { throw ExitReport(.usage, "-H: \(problem)") }
    let harmless = ["accept", "acceptlanguage", "useragent", "contenttype"].contains(
      Self.plain(name))
    let isSecret = Self.isSecret(name) || SecretName.isSecret(value, called: name)
    guard value.holds(Self.hole) || !harmless && (isSecret || named) else {
      // A job file has each name once.
      if fields.contains(where: { $0.name.equalsIgnoringCase(name) }) {
        throw ExitReport(.usage, "-H: \(name) was given twice; put both values into one field")
      }
      if let problem = HeaderText.valueProblem(value) { throw ExitReport(.usage, "-H: \(problem)") }
      fields.append(HeaderField(name, value))
      return
    }
    if value.hasSuffix(Self.hole) {
      let prefix = String(value.dropLast(Self.hole.count))
      if let place = Self.basic(name, prefix) { return try take(place, nil) }
      return try take(.header(name: name, prefix: prefix), nil)
    }
    guard !value.holds(Self.hole) else {
      throw ExitReport(.usage, "-H \(name): {key} must be the value, or its end")
    }
    let words = value.split(separator: " ", maxSplits: 1)
    let hasScheme = words.count == 2 && Self.schemes.contains(Self.plain(String(words[0])))
    let prefix = hasScheme ? "\(words[0]) " : ""
    try take(.header(name: name, prefix: prefix), String(value.dropFirst(prefix.count)))
  }

  private static let schemes: Set = [
    "bearer", "basic", "token", "apikey", "key", "digest", "negotiate", "oauth", "jwt",
  ]

  /// `Authorization: Basic {key}` and `Authorization: Basic USER:{key}`: Trawl encodes them.
  private static func basic(_ name: String, _ prefix: String) -> Credential.Place? {
    guard plain(name) == "authorization", prefix.lowercased().hasPrefix("basic ") else {
      return nil
    }
    let user = String(prefix.dropFirst("basic ".utf8.count)).trimmingBlanks
    if user.isEmpty { return .basic(user: nil) }
    return user.hasSuffix(":") ? .basic(user: String(user.dropLast())) : nil
  }

  private mutating func take(
    _ found: Credential.Place, _ value: String?
  ) throws(ExitReport) {
    guard place == nil else {
      throw ExitReport(
        .usage,
        "two secrets were given (headers and parameters that are called so): trawl new takes one")
    }
    place = found
    secret = value.map { Secret($0) }
  }

  /// The secret from the command line, from where a job would find it, or typed without echo.
  func credential(_ context: CommandContext) async throws -> Credential? {
    guard let place else { return nil }
    if let secret { return Credential(place: place, secret: secret, origins: [origin]) }
    if let kept = try kept(context) { return kept }
    let typed = await context.typed("key for \(origin) (typing is hidden): ")
    guard let typed, !typed.isEmpty else {
      throw ExitReport(.secret, "no key was given; nothing was requested")
    }
    let text = String(decoding: typed, as: UTF8.self).trimmingBlanks
    return Credential(place: place, secret: Secret(text), origins: [origin])
  }

  private func kept(_ context: CommandContext) throws -> Credential? {
    var job = try DraftRequests.job(of: self)
    job.authentication = place.map {
      Authentication(place: $0, secret: secretName)
    }
    let source = SecretSource(environment: context.environment.callAsFunction)
    switch source.find(for: job, endpoint: origin) {
    case .found(let credential, let from):
      context.console.tell("key from \(from)")
      return credential
    case .refused(let sentence): throw ExitReport(.secret, sentence)
    case .notNeeded, .notRead, .without, .missing: return nil
    }
  }

  // MARK: the job's name

  private static func jobName(_ address: WebAddress, _ output: String?, known: [String]) -> String {
    if let wished = DraftNames.job(ofDraft: output) { return wished }
    let host = address.origin.host
    let labels = host.split(separator: ".").map(String.init)
    let isNumber = labels.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) } }
    let subject = Subject(address, jobName: "", date: "")
    let path = DraftNames.hyphened(subject.pathWord)
    var name = labels.count >= 2 && !isNumber ? DraftNames.hyphened(labels[labels.count - 2]) : path
    if ["co", "com", "org", "ac", "gov"].contains(name), labels.count >= 3 {
      name = DraftNames.hyphened(labels[labels.count - 3])
    }
    if name.isEmpty || name == "localhost" { name = path.isEmpty ? "draft" : path }
    return known.contains(name) ? "my-\(name)" : name
  }
}
