public import Base

/// Texts in the syntax of a job file.
public enum JobText {
  public static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
  }

  /// A member's name, in quotes if it needs them.
  public static func member(_ name: String) -> String {
    let isPlain =
      name.utf8.first.map { ($0 | 32 >= 97 && $0 | 32 <= 122) || $0 == 95 } ?? false
      && name.utf8.allSatisfy {
        (97...122).contains($0 | 32) && $0 >= 65 || (48...57).contains($0) || $0 == 95
      }
    return isPlain ? name : quoted(name)
  }

  /// One text, or a list of several.
  public static func texts(_ values: [String]) -> String {
    values.count == 1 ? quoted(values[0]) : "[\(values.map(quoted).joined(separator: ", "))]"
  }

  /// A query parameter, or a path of the body, as a place in the request.
  public static func parameter(_ name: String, inBody: Bool = false) -> String {
    quoted((inBody ? "body:" : "?") + name)
  }

  public static func header(_ name: String) -> String { quoted("header:" + name) }

  /// `{ to: "header:Authorization Bearer {secret}", secret: "shop-key" }`
  public static func auth(_ place: Credential.Place, secret: String) -> String {
    "{ \(self.place(place)), secret: \(quoted(secret)) }"
  }

  /// Where requests carry the secret, as the first keys of `auth`.
  public static func place(_ place: Credential.Place) -> String {
    switch place {
    case .header(let name, ""): "to: \(header(name))"
    case .header(let name, let prefix): "to: \(header("\(name) \(prefix){secret}"))"
    case .query(let name): "to: \(parameter(name))"
    case .basic(let user): "to: \(quoted("basic" + (user.map { " \($0):{secret}" } ?? "")))"
    case .userName(let password): "to: \(quoted("basic {secret}:\(password)"))"
    }
  }

  /// Whether a path of a job file can name a member like this.
  public static func isMember(_ name: String) -> Bool {
    JSONPath.isSayable(name) && !name.unicodeScalars.contains(where: \.isHostile)
  }

  /// `size: "?limit=100"`
  public static func size(_ name: String, _ value: Int, inBody: Bool = false) -> String {
    "size: \(parameter("\(name)=\(value)", inBody: inBody))"
  }

  /// An entry of a list of columns: only its place if that gives the name.
  public static func column(_ name: String, _ path: [String], type: String?) -> String {
    let place = JSONPath.text(of: path)
    guard !path.isEmpty, PlainName.folded(path) == name else {
      return "{ \(name): \(quoted(place + (type.map { " as \($0)" } ?? ""))) }"
    }
    return quoted(place + (type.map { " \($0)" } ?? ""))
  }

  /// A brace of a template is written twice.
  public static func braced(_ text: String) -> String {
    text.map { $0 == "{" ? "{{" : $0 == "}" ? "}}" : String($0) }.joined()
  }
}
