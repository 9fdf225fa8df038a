internal import Base

/// A JSON-RPC message.
enum RPCMessage {
  case request(id: JSONValue, method: String, params: JSONValue?)
  /// Needs no reply: a notification, or a reply to nothing.
  case silent
  case wrong(RPCProblem, id: JSONValue?)

  init(_ value: JSONValue) {
    // Anything else is no valid id.
    let id = value["id"].flatMap { $0.isString || $0.isNumber ? $0 : nil }
    guard value.isObject, value["jsonrpc"]?.isString("2.0") == true else {
      self = .wrong(
        RPCProblem(.invalidRequest, "a message is an object with jsonrpc: \"2.0\""), id: id)
      return
    }
    guard let method = value["method"]?.string else {
      let isAnswer = value["method"] == nil && (value["result"] != nil || value["error"] != nil)
      self =
        isAnswer
        ? .silent
        : .wrong(RPCProblem(.invalidRequest, "a request has a method, which is a text"), id: id)
      return
    }
    guard value["id"] != nil else {
      self = .silent
      return
    }
    let params = value["params"]
    if let id, params?.isObject ?? true {
      self = .request(id: id, method: method, params: params)
    } else if id == nil {
      self = .wrong(RPCProblem(.invalidRequest, "id is a text or a number"), id: nil)
    } else {
      self = .wrong(RPCProblem(.invalidParams, "params is an object"), id: id)
    }
  }
}

/// What is wrong with a message, with the protocol's own codes.
struct RPCProblem: Error {
  enum Code: Int {
    case parse = -32700
    case invalidRequest = -32600
    case unknownMethod = -32601
    case invalidParams = -32602
    case internalError = -32603
    case unsupportedVersion = -32022
  }

  let code: Code
  let message: String
  var data: JSONObject?

  init(_ code: Code, _ message: String, data: JSONObject? = nil) {
    (self.code, self.message, self.data) = (code, message, data)
  }
}

extension JSONObject {
  /// A reply with the id of its request, unchanged.
  static func reply(to id: JSONValue?, _ outcome: Result<JSONObject, RPCProblem>) -> JSONObject {
    switch outcome {
    case .success(let result): return ["jsonrpc": "2.0", "id": id, "result": result]
    case .failure(let problem):
      var error: JSONObject = [
        "code": problem.code.rawValue, "message": problem.message.harmless(upTo: 1_000),
      ]
      if let data = problem.data { error.members.append(("data", data)) }
      return ["jsonrpc": "2.0", "id": id, "error": error]
    }
  }
}
