internal import Base

/// One answer before it is sent. A refusal may be thrown.
struct Reply: Error {
  var status: Int
  /// In the order of sending. The core adds Date and Content-Length.
  var fields: [(name: String, value: String)]
  var body: [UInt8]
  /// The list of which this is a page, as `Dialect.drift` names it, if it moves by `SandboxOptions.drift`.
  var list: String?
  /// The core breaks the answer this way, whatever fault was drawn.
  var fault: FaultKind?

  init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  static func json(_ body: [UInt8], status: Int = 200) -> Reply {
    Reply(status, [("Content-Type", "application/json; charset=utf-8")], body: body)
  }

  static func object(status: Int = 200, _ members: (inout JSONWriter) -> Void) -> Reply {
    .json(JSONWriter.bytes { $0.object(members) }, status: status)
  }

  static func html(_ status: Int, _ text: String) -> Reply {
    Reply(status, [("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
  }

  static func text(_ status: Int, _ text: String) -> Reply {
    Reply(status, [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
  }

  /// Setting a field replaces it in place, or adds it at the end.
  subscript(name: String) -> String? {
    get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    set {
      let index = fields.firstIndex { $0.name.lowercased() == name.lowercased() }
      switch (index, newValue) {
      case (let index?, let value?): fields[index].value = value
      case (let index?, nil): fields.remove(at: index)
      case (nil, let value?): fields.append((name, value))
      case (nil, nil): break
      }
    }
  }

  var isJSON: Bool { self["Content-Type"]?.hasPrefix("application/json") ?? false }

  /// 204 and 304 never have a body, whatever the dialect set.
  var hasBody: Bool { status != 204 && status != 304 && status >= 200 }

  /// The status line and fields including the empty line; with `length` nil it has no Content-Length.
  func head(length: Int?, date: [UInt8], extra: [(name: String, value: String)] = []) -> [UInt8] {
    var out = Array("HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: ".utf8) + date
    for field in fields + extra { out += "\r\n\(field.name): \(field.value)".utf8 }
    if let length { out += "\r\nContent-Length: \(length)".utf8 }
    return out + "\r\n\r\n".utf8
  }

  static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 302: "Found"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 422: "Unprocessable Entity"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
