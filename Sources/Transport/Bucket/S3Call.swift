internal import CCurl
internal import Base

/// One request to a store and its answer. A handle serves one call at a time and keeps its connection.
final class S3Call {
  struct Answer {
    var status = 0
    var fields: [String: String] = [:]
    var body: [UInt8] = []

    var date: Instant? { fields["date"].flatMap { Instant(httpDate: $0) } }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The store's error code, such as `NoSuchBucket`; an object may hold any text. The rest of an error is never shown:
    /// it may repeat what was signed.
    var code: String { isSuccess ? "" : XMLText(body).values(of: "Code").first ?? "" }
  }

  let easy: UnsafeMutableRawPointer
  private var answer = Answer()
  private let bytesMax: Int

  init(_ easy: UnsafeMutableRawPointer, bytesMax: Int) {
    self.easy = easy
    self.bytesMax = bytesMax
  }

  /// Fails with libcurl's words if no complete answer came.
  func perform(
    _ method: String, _ url: String, _ lines: [String], _ body: [UInt8]?,
    _ issuers: TrustedIssuers.Loaded, connect: Duration, total: Duration
  ) -> Result<Answer, Problem> {
    curl_easy_reset(easy)
    var setter = OptionSetter(easy: easy)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    setter.setSafety()
    setter.long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    setter.long(CURLOPT_TCP_KEEPALIVE, 1)
    setter.long(CURLOPT_CONNECTTIMEOUT_MS, connect.wholeMilliseconds)
    setter.long(CURLOPT_TIMEOUT_MS, total.wholeMilliseconds)
    // A stalled transfer is given up, however much time is left.
    setter.long(CURLOPT_LOW_SPEED_LIMIT, 1)
    setter.long(CURLOPT_LOW_SPEED_TIME, max(2, connect.wholeMilliseconds / 1000))
    setter.long(CURLOPT_PATH_AS_IS, 1)
    setter.long(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    setter.setIssuers(issuers)
    setter.string(CURLOPT_URL, url)
    setter.string(CURLOPT_CUSTOMREQUEST, method)
    for line in lines + ["Expect:"] { setter.append(line, to: &list) }
    setter.list(CURLOPT_HTTPHEADER, list)
    let context = Unmanaged.passUnretained(self).toOpaque()
    setter.note(ccurl_set_bytes_fn(easy, CURLOPT_HEADERFUNCTION, receiveS3Head))
    setter.pointer(CURLOPT_HEADERDATA, context)
    setter.note(ccurl_set_bytes_fn(easy, CURLOPT_WRITEFUNCTION, receiveS3Body))
    setter.pointer(CURLOPT_WRITEDATA, context)
    let code: CURLcode
    if let body {
      code = body.withUnsafeBytes { bytes in
        setter.note(ccurl_lend_post(easy, bytes.baseAddress, bytes.count))
        return setter.failure ?? curl_easy_perform(easy)
      }
    } else {
      code = setter.failure ?? curl_easy_perform(easy)
    }
    guard code == CURLE_OK else {
      return .failure(Problem(words: String(cString: curl_easy_strerror(code)), code: code))
    }
    var status = 0
    _ = ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    answer.status = status
    return .success(answer)
  }

  struct Problem: Error {
    var words: String
    var code: CURLcode
    /// Retrying cannot help.
    var isFinal: Bool {
      [
        CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
        CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_OUT_OF_MEMORY,
      ].contains(code)
    }
  }

  fileprivate func receiveHead(_ line: UnsafeRawBufferPointer) {
    // The head of the real answer replaces that of an interim one.
    if line.starts(with: "HTTP/".utf8) { return answer.fields = [:] }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), answer.fields.count < 200 else {
      return
    }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    var value = line[(colon + 1)...]
    while let last = value.last, last <= 32 { value.removeLast() }
    while let first = value.first, first <= 32 { value.removeFirst() }
    answer.fields[name] = String(decoding: value, as: UTF8.self)
  }

  fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard answer.body.count + bytes.count <= bytesMax else { return false }
    answer.body.append(contentsOf: bytes)
    return true
  }
}

private func call(_ context: UnsafeMutableRawPointer?) -> S3Call? {
  context.map { Unmanaged<S3Call>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveS3Head(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  call(context)?.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
  return size * count
}

private func receiveS3Body(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return call(context)?.receiveBody(piece) == true ? size * count : 0
}
