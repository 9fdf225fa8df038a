public import Base

/// Values of parameters, from a job file, `--set` or a user's settings.
extension Job {
  /// What is wrong with giving a parameter a value; nil: nothing. The same for defaults, `--set` and a user's settings.
  public func problem(setting name: String, to value: String) -> String? {
    guard let parameter = parameter(name) else {
      return "the job \(self.name) has no parameter \"\(name.shown)\""
        + Suggestion.clauseOrList(for: name, in: parameters.map(\.name))
    }
    if value.utf8.count > Pattern.valueBytesMax {
      return "\(name): a value has at most \(Wording.count(Pattern.valueBytesMax, "byte"))"
    }
    if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "\(name): a value holds no control characters"
    }
    switch GivenValue(value) {
    case .stored(let stream, let column): return storedProblem(name, stream, column)
    case .text(let text): return parameter.problem(with: text)
    }
  }

  private func storedProblem(_ name: String, _ stream: String, _ column: String?) -> String? {
    guard let source = self.stream(stream) else {
      return "\(name): there is no stream \"\(stream.shown)\" whose stored list @ could mean"
        + Suggestion.clauseOrList(for: stream, in: streams.map(\.name))
        + " (a text that begins with @ is written @@)"
    }
    guard let column, source.column(column) == nil else { return nil }
    return "\(name): the stream \(stream) has no column \"\(column.shown)\""
      + Suggestion.clauseOrList(for: column, in: source.columns.map(\.name))
  }
}

extension Job {
  /// The names that its base, header fields and users need.
  var fillingNames: [String] {
    let all =
      (texts.base.flatMap(Template.init)?.holes ?? []) + texts.fields.flatMap(\.value.holes)
      + texts.users.flatMap { $0?.holes ?? [] } + (texts.token.map(fillingNames) ?? [])
    return all.eachOnce
  }

  /// Declared but never sent.
  public var unusedParameters: [Parameter] {
    var used = Set(fillingNames)
    for stream in streams {
      used.formUnion(stream.holes)
      for column in stream.columns + (stream.membership?.columns ?? []) {
        switch column.source {
        case .parameter(let name): used.insert(name)
        case .filled(let template): used.formUnion(template.holes)
        case .paths, .position, .memberName, .digest, .constant: break
        }
        if let name = column.matches { used.insert(name) }
      }
    }
    return parameters.filter { parameter in
      !([parameter.name] + (parameter.splits?.holes ?? [])).contains(where: used.contains)
    }
  }

  private func fillingNames(of token: TokenRequest) -> [String] {
    [token.place, token.login?.place ?? ""].flatMap { Template($0)?.holes ?? [] }
      + token.holes.filter { parameter($0) != nil }
  }

  /// Fills server, header fields, users and token request with given or default values. What is missing is in
  /// `texts.lack`; then nothing can be requested.
  public func filling(_ given: [String: [String]]) -> Job {
    guard !fillingNames.isEmpty else { return self }
    var job = self
    job.texts.lack = nil
    func value(_ name: String) -> String? {
      let values = given[name] ?? parameter(name)?.defaults ?? []
      guard values.count == 1, case .text(let text) = GivenValue(values[0]), !text.isEmpty,
        parameter(name)?.problem(with: text) == nil
      else { return nil }
      return text
    }
    if let name = fillingNames.first(where: { value($0) == nil }) {
      job.texts.lack =
        "the job \(self.name) needs one value of \"\(name)\" to know where and how to ask: "
        + "--set \(name)=VALUE, or params in a file of settings"
      return job
    }
    var token = texts.token
    for name in token?.holes ?? [] { token?.values[name] = value(name) }
    do {
      if let text = texts.base {
        let base = try BaseText.filled(text, value)
        (job.base, job.home) = (base, base.origin)
      }
      if let text = token?.place, BaseText.hasHoles(text) {
        token?.place = try BaseText.filled(text, value).description
      }
      if let text = token?.login?.place, BaseText.hasHoles(text) {
        token?.login?.place = try BaseText.filled(text, value).description
      }
    } catch {
      job.texts.lack = error.sentence
    }
    for item in texts.fields {
      let text = item.value.filled(value) ?? ""
      if let problem = HeaderText.valueProblem(text) { job.texts.lack = "\(item.name): \(problem)" }
      job.fields.removeAll { $0.name == item.name }
      job.fields.append(HeaderField(item.name, text))
    }
    var all = authentication?.all ?? []
    for (index, user) in texts.users.enumerated() {
      guard let user, let name = user.filled(value) else { continue }
      all[index].place = .basic(user: name)
    }
    if let token, let index = all.firstIndex(where: { $0.token != nil }) {
      all[index].token = token
    }
    job.authentication = Authentication.joined(all)
    return job
  }
}

extension Authentication {
  /// The first, with the others attached.
  static func joined(_ all: [Authentication]) -> Authentication? {
    guard var first = all.first else { return nil }
    first.others = all.dropFirst().map { one in
      var one = one
      one.others = []
      return one
    }
    return first
  }
}

extension Parameter {
  /// What is wrong with a value, with the job's own hint; nil: nothing.
  func problem(with value: String) -> String? {
    if let splits, parts(of: value) == nil {
      return "\(name): \"\(value.shown)\" cannot be taken apart by \(splits)"
    }
    guard let pattern else { return nil }
    // An invalid pattern was refused with its file.
    guard let compiled = try? Pattern(pattern), !compiled.matches(value) else { return nil }
    return "\(name): \"\(value.shown)\" cannot be used: \(fitting)"
  }
}
