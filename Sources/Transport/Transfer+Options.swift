internal import CCurl
internal import Base

extension Transfer {
  /// Sets all options of the hop. Nil on success, else the first failure.
  /// - Parameter isAlone: its connection serves no other request.
  func prepare(
    _ hop: HopRequest, _ options: TransportOptions, _ issuers: TrustedIssuers.Loaded, isAlone: Bool
  ) -> CURLcode? {
    var setter = OptionSetter(easy: easy)
    setter.setSafety()
    setConnection(&setter, options)
    if isAlone {
      setter.long(CURLOPT_FRESH_CONNECT, 1)
      setter.long(CURLOPT_FORBID_REUSE, 1)
    }
    setter.setIssuers(issuers)
    issuersShown = options.issuers.shown
    setCallbacks(&setter)
    setter.string(CURLOPT_URL, hop.url)
    // The path is sent as written; dot segments are up to the server.
    setter.long(CURLOPT_PATH_AS_IS, 1)
    setter.string(CURLOPT_USERAGENT, options.userAgent)
    for line in hop.lines { setter.append(line, to: &fieldList) }
    setter.list(CURLOPT_HTTPHEADER, fieldList)
    if let body = hop.body {
      setter.note(body.withUnsafeBytes { ccurl_set_post(easy, $0.baseAddress, $0.count) })
    }
    // Do not send the server's fields to the proxy.
    setter.long(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    // We unpack the encoding ourselves, since libcurl does not report a truncation.
    setter.long(CURLOPT_HTTP_CONTENT_DECODING, 0)
    setter.long(CURLOPT_BUFFERSIZE, 64 << 10)
    return setter.failure
  }

  private func setConnection(_ setter: inout OptionSetter, _ options: TransportOptions) {
    setter.long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // A second transfer waits for the first one's handshake, to share its connection. Without TLS it would wait for the
    // first answer, with nothing to share.
    setter.long(CURLOPT_PIPEWAIT, journey.address.origin.scheme == "https" ? 1 : 0)
    setter.long(CURLOPT_TCP_KEEPALIVE, 1)
    // libcurl divides this timeout among the addresses of a host; the loop enforces it too.
    setter.long(
      CURLOPT_CONNECTTIMEOUT_MS, journey.limits.connectTimeout.wholeMilliseconds)
    setter.note(ccurl_leave_resolver_behind(easy))
    // An empty text also keeps libcurl from reading the environment.
    setter.string(CURLOPT_PROXY, proxy ?? "")
    setter.string(CURLOPT_NOPROXY, "")
    setter.long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    for entry in options.resolveOverrides { setter.append(entry, to: &resolveList) }
    if resolveList != nil { setter.list(CURLOPT_RESOLVE, resolveList) }
  }

  private func setCallbacks(_ setter: inout OptionSetter) {
    // Unretained: the loop keeps this object until the handle has left the multi handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    setter.note(ccurl_set_bytes_fn(easy, CURLOPT_HEADERFUNCTION, curlReceiveHead))
    setter.pointer(CURLOPT_HEADERDATA, context)
    setter.note(ccurl_set_bytes_fn(easy, CURLOPT_WRITEFUNCTION, curlReceiveBody))
    setter.pointer(CURLOPT_WRITEDATA, context)
    setter.note(ccurl_set_socket_fn(easy, curlOpenSocket))
    setter.pointer(CURLOPT_OPENSOCKETDATA, context)
    setter.note(ccurl_set_prereq_fn(easy, curlBeforeSending))
    setter.pointer(CURLOPT_PREREQDATA, context)
    setter.note(ccurl_set_debug_fn(easy, curlHearNote))
    setter.pointer(CURLOPT_DEBUGDATA, context)
    // Verbose notes only go to the function above.
    setter.long(CURLOPT_VERBOSE, 1)
    setter.pointer(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
  }
}

/// Sets options one by one and keeps the first failure.
struct OptionSetter {
  let easy: UnsafeMutableRawPointer
  private(set) var failure: CURLcode?

  mutating func note(_ code: CURLcode) {
    if code != CURLE_OK, failure == nil { failure = code }
  }

  mutating func long(_ option: CURLoption, _ value: Int) {
    note(ccurl_set_long(easy, option, value))
  }

  mutating func string(_ option: CURLoption, _ value: String) {
    note(ccurl_set_string(easy, option, value))
  }

  mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(ccurl_set_pointer(easy, option, value))
  }

  mutating func list(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
    note(ccurl_set_list(easy, option, value))
  }

  mutating func setSafety() {
    note(ccurl_only_http(easy))
    long(CURLOPT_HTTP09_ALLOWED, 0)
    long(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // The caller follows redirects, since each hop is checked before it is sent.
    long(CURLOPT_FOLLOWLOCATION, 0)
    long(CURLOPT_SSL_VERIFYPEER, 1)
    long(CURLOPT_SSL_VERIFYHOST, 2)
    long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // Signals belong to the program.
    long(CURLOPT_NOSIGNAL, 1)
  }

  /// What is not set keeps libcurl's built-in value.
  mutating func setIssuers(_ issuers: TrustedIssuers.Loaded) {
    if let folder = issuers.folder { string(CURLOPT_CAPATH, folder) }
    if let bytes = issuers.bytes {
      note(bytes.withUnsafeBytes { ccurl_set_issuers(easy, $0.baseAddress, $0.count) })
    } else if let file = issuers.file {
      string(CURLOPT_CAINFO, file)
    }
  }

  mutating func append(_ line: String, to list: inout UnsafeMutablePointer<curl_slist>?) {
    if let longer = curl_slist_append(list, line) {
      list = longer
    } else {
      note(CURLE_OUT_OF_MEMORY)
    }
  }
}

extension Duration {
  /// Rounded up, so that a wait is never too short; at most a day.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    let day: Int64 = 86_400
    guard seconds < day else { return Int(day) * 1000 }
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return max(0, Int(seconds * 1000 + part))
  }
}
