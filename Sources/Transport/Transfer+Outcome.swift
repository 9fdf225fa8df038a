internal import CCurl
internal import Base

extension Transfer {
  /// How a hop ended.
  enum Outcome {
    case redirect(status: Int, location: String)
    case answered
    case failed(ExchangeFailure)
  }

  /// Judges a hop that has ended. libcurl's success alone is not enough.
  func outcome(_ code: CURLcode) -> Outcome {
    if let stop { return .failed(failure(for: stop)) }
    if let refusal, code != CURLE_OK { return .failed(failure(for: refusal)) }
    if isRedirect, let status = head.status, let location = head.fields["Location"] {
      return .redirect(status: status, location: location)
    }
    guard code == CURLE_OK else { return .failed(failure(for: code)) }
    guard head.isComplete else {
      return .failed(fail(.cut, .network, "closed the connection within its answer's head"))
    }
    if case .length(let length) = head.framing, body.rawBytes != length {
      return .failed(fail(.cut, .network, "sent \(body.rawBytes) of \(length) bytes"))
    }
    guard body.isUnpackedWhole(head.framing) else {
      return .failed(fail(.cut, .network, "sent a compressed body that ends early"))
    }
    return .answered
  }

  var isEndProven: Bool { head.framing != .untilClose || body.provesItsEnd }

  var httpVersion: String {
    var version = 0
    guard ccurl_get_long(easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK else { return "1.1" }
    return switch version {
    case Int(CURL_HTTP_VERSION_1_0): "1.0"
    case Int(CURL_HTTP_VERSION_2_0): "2"
    case Int(CURL_HTTP_VERSION_3): "3"
    default: "1.1"
    }
  }

  // MARK: Failures

  private func failure(for stop: Stop) -> ExchangeFailure {
    let limits = journey.limits
    switch stop {
    case .refusedAddress(let address, let why):
      return journey.refused(address, why)
    case .headTooLarge:
      let most = Wording.bytes(HeadReader.bytesMax)
      return fail(.tooLarge, .network, "sent a head of more than \(most)", then: .check)
    case .bodyTooLarge:
      let most = Wording.bytes(limits.bodyBytesMax)
      return fail(.tooLarge, .network, "sent a body of more than \(most)", then: .smaller)
    case .sinkRefused:
      return fail(.sinkRefused, .store, "sent a body that could not be taken", then: .none)
    case .malformed(let why):
      return fail(.malformed, .network, "sent an answer that is not sound: \(why)")
    case .connectTimeout:
      return timedOutConnecting()
    case .stallTimeout:
      let wait = Wording.span(limits.stallTimeout)
      return fail(.stalled, .network, "sent nothing for \(wait)")
    case .totalTimeout:
      let wait = Wording.span(limits.totalTimeout)
      return fail(.timedOut, .network, "was not done after \(wait)")
    case .runOver:
      return fail(.timedOut, .network, "was not done when the time of the run was over")
    case .resent:
      return fail(.cut, .network, "closed a connection that was kept open, without an answer")
    }
  }

  private func timedOutConnecting() -> ExchangeFailure {
    let wait = Wording.span(journey.limits.connectTimeout)
    if let refusal { return failure(for: refusal) }
    if socketsOpened == 0, IPAddress(journey.address.origin.bareHost) == nil {
      return fail(.unresolved, .network, "got no address from the name server in \(wait)")
    }
    return fail(.timedOut, .network, "could not be reached in \(wait)")
  }

  private func failure(for code: CURLcode) -> ExchangeFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return fail(.unresolved, .network, "could not be found by the name server")
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      guard let proxy else { return fail(.unreachable, .network, "refused the connection") }
      return failure(ofReaching: ProxySettings.shown(proxy), code)
    case CURLE_OPERATION_TIMEDOUT:
      return timedOutConnecting()
    case CURLE_PARTIAL_FILE:
      return fail(.cut, .network, "closed the connection within the body")
    case CURLE_GOT_NOTHING:
      return fail(.cut, .network, "closed the connection without an answer")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return fail(.malformed, .network, "sent an answer that is not HTTP")
    case CURLE_URL_MALFORMAT:
      return fail(.unbuildable, .request, "has an address that cannot be requested", then: .check)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return receiveFailure(code)
    case CURLE_OUT_OF_MEMORY:
      // libcurl also returns this if a single head line exceeds its own limit.
      return fail(.tooLarge, .network, "sent a head that is too large", then: .check)
    default:
      return Self.tlsCodes.contains(code.rawValue) ? tlsFailure(code) : receiveFailure(code)
    }
  }

  /// libcurl uses few codes for many errors; its texts tell them apart. Whether a retry may help never depends on them.
  private func receiveFailure(_ code: CURLcode) -> ExchangeFailure {
    let text = String(cString: errorText)
    if proxy != nil, let answer = connectCode { return proxyFailure(answer) }
    if text.holds("Too large") || text.holds("too large") {
      return fail(.tooLarge, .network, "sent a head that is too large", then: .check)
    }
    if text.holds("chunk") || code == CURLE_HTTP2 {
      return fail(.malformed, .network, "sent a body whose frames are broken")
    }
    return fail(.reset, .network, "broke the connection off")
  }

  private func failure(ofReaching name: String, _ code: CURLcode) -> ExchangeFailure {
    if String(cString: errorText).hasPrefix("Unsupported proxy") {
      return fail(
        .proxy, .network,
        "was not requested: the proxy \(name) is of an unknown kind; "
          + "write it as http://host:port in the environment", then: .none)
    }
    if code == CURLE_COULDNT_RESOLVE_PROXY {
      return fail(.unresolved, .network, "was not requested: its proxy \(name) could not be found")
    }
    return fail(.unreachable, .network, "was not requested: its proxy \(name) is not there")
  }

  /// The proxy's status if it refused a tunnel.
  private var connectCode: Int? {
    var status = 0
    guard ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK,
      status >= 300
    else { return nil }
    return status
  }

  func proxyFailure(_ status: Int) -> ExchangeFailure {
    let shown = journey.shownAddress
    let name = proxy.map { ProxySettings.shown($0) } ?? "the proxy"
    if status >= 500 {
      return ExchangeFailure(
        .unreachable, cause: .network, address: shown,
        sentence: "The proxy \(name) could not reach \(shown.origin) (it answered \(status)). "
          + "Trying again later may help.")
    }
    let words =
      status == 407
      ? "asks for a user and a password; put them into the proxy's address in the environment"
      : "refuses to reach \(shown.origin) (it answered \(status)); ask who runs it"
    return ExchangeFailure(
      .proxy, cause: .network, address: shown, sentence: "The proxy \(name) \(words).",
      status: status, wasSent: journey.wasSent)
  }

  private enum Advice: String {
    case later = " Trying again later may help."
    case check = " Check the address."
    case smaller = " Request smaller pages (`size`), or check the address."
    case none = ""
  }

  private func fail(
    _ kind: ExchangeFailure.Kind, _ cause: Cause, _ words: String, then advice: Advice = .later
  ) -> ExchangeFailure {
    // libcurl's words about a hop that we ended only say so. Words about a proxy may contain its password.
    let isOurs = stop != nil || proxy?.utf8.contains(UInt8(ascii: "@")) == true
    let detail = isOurs ? "" : Sentences.detail(String(cString: errorText), journey.screen)
    return journey.failure(
      kind, cause, "\(words)\(detail).\(advice.rawValue)",
      status: head.isComplete ? head.status : nil)
  }
}

extension Transfer {
  private static let tlsCodes: Set<UInt32> = [
    CURLE_SSL_CONNECT_ERROR.rawValue, CURLE_PEER_FAILED_VERIFICATION.rawValue,
    CURLE_SSL_CACERT_BADFILE.rawValue, CURLE_SSL_CERTPROBLEM.rawValue, CURLE_SSL_CIPHER.rawValue,
    CURLE_SSL_ENGINE_NOTFOUND.rawValue, CURLE_SSL_ENGINE_SETFAILED.rawValue,
    CURLE_USE_SSL_FAILED.rawValue, CURLE_SSL_CRL_BADFILE.rawValue,
    CURLE_SSL_ISSUER_ERROR.rawValue, CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue,
    CURLE_SSL_INVALIDCERTSTATUS.rawValue, CURLE_SSL_CLIENTCERT.rawValue,
  ]

  /// OpenSSL's `X509_V_ERR_…` codes, which do not change.
  private enum Verdict {
    static let notYetValid = 9
    static let expired = 10
    /// libcurl compares the host itself and leaves the result at one of the first two.
    static let otherHosts = [0, 1, 62]
    static let unknownIssuers = [2, 18, 19, 20, 21, 27]
  }

  private func tlsFailure(_ code: CURLcode) -> ExchangeFailure {
    let text = String(cString: errorText)
    let isBroken = ["SSL_ERROR_SYSCALL", "reset", "unexpected eof"].contains { text.holds($0) }
    if code == CURLE_SSL_CONNECT_ERROR, isBroken {
      return fail(.reset, .network, "broke off: the TLS handshake failed; is it http, not https?")
    }
    if text.holds("wrong version number") || text.holds("http request") {
      return fail(.tls, .network, "does not speak TLS; is it http, not https?", then: .none)
    }
    var verdict = 0
    if ccurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verdict) != CURLE_OK { verdict = 0 }
    let words =
      if code == CURLE_SSL_CACERT_BADFILE {
        "was not requested: the trusted certificates"
          + "\(issuersShown.map { ", \($0)," } ?? " of this machine") cannot be used; check them"
      } else if verdict == Verdict.expired {
        "shows a certificate that has expired; tell its owner, and check this machine's clock"
      } else if verdict == Verdict.notYetValid {
        "shows a certificate that is not valid yet; check this machine's clock"
      } else if Verdict.unknownIssuers.contains(verdict) {
        "shows a certificate of an issuer that is not trusted here"
          + (issuersShown.map { ", nor is it in \($0)" } ?? "")
          + "; if the issuer is your own, name the file of its certificate with --ca"
      } else if code == CURLE_PEER_FAILED_VERIFICATION, Verdict.otherHosts.contains(verdict) {
        "shows a certificate for another host; check the address"
      } else {
        "and this machine found no secure protocol in common (TLS 1.2 or later is needed)"
      }
    return fail(.tls, .network, words, then: .none)
  }
}
