internal import Base

extension Cause {
  /// Why a request was repeated, for people who do not know our terms.
  var explanation: String {
    switch self {
    case .request: "after a request that could not be made"
    case .network: "after a network fault"
    case .client: "after a refusal (4xx)"
    case .server: "after a failure of the server (5xx)"
    case .status: "after an unexpected status"
    case .empty: "after an empty answer"
    case .parse: "after an answer that could not be read"
    case .store: "after a failure to store"
    }
  }

  /// The same in two words, for the legend of a chart.
  var label: String {
    switch self {
    case .request: "not sent"
    case .network: "network fault"
    case .client: "refused (4xx)"
    case .server: "server failed (5xx)"
    case .status: "unexpected status"
    case .empty: "empty answer"
    case .parse: "unreadable answer"
    case .store: "not stored"
    }
  }
}
