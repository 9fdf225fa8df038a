internal import CCurl

/// The libcurl of this process, for bug reports.
public enum TransportVersion {
  /// `libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 …`.
  public static var text: String { curl_version().map { String(cString: $0) } ?? "libcurl" }
}
