internal import Base

extension Cause {
  /// Why a request was repeated, for people who do not know our terms; and in two words, for the legend of a chart.
  var words: (explanation: String, label: String) {
    switch self {
    case .request: ("after a request that could not be made", "not sent")
    case .network: ("after a network fault", "network fault")
    case .client: ("after a refusal (4xx)", "refused (4xx)")
    case .server: ("after a failure of the server (5xx)", "server failed (5xx)")
    case .status: ("after an unexpected status", "unexpected status")
    case .empty: ("after an empty answer", "empty answer")
    case .parse: ("after an answer that could not be read", "unreadable answer")
    case .store: ("after a failure to store", "not stored")
    }
  }
}
