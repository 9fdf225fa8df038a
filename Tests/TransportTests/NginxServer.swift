import Glibc
import TestSupport
import Testing

/// A real server with TLS and HTTP/2, and certificates made for the test.
final class NginxServer: Sendable {
  enum Site: String, CaseIterable, Sendable {
    /// HTTP/2, with a certificate of the test's CA for `api.test`.
    case good
    /// The same without HTTP/2.
    case plain
    /// HTTP/2, and says GOAWAY at a connection's second request.
    case brief
    /// A certificate for another host, an expired one, one of another CA, and TLS 1.1.
    case otherHost, expired, otherIssuer, oldTLS
  }

  static let body = "[" + (0..<2000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"

  private let folder = ScratchFolder()
  private let process: NginxProcess

  var caFile: String { "\(folder.path)/ca.pem" }
  /// The CA of a single site of this server.
  var otherCAFile: String { "\(folder.path)/other-ca.pem" }

  /// Links a certificate in a folder under the name by which OpenSSL looks for it.
  static func hash(_ certificate: String, into folder: String) async throws {
    let ended = await BinaryRun.run(
      "/usr/bin/openssl", ["x509", "-hash", "-noout", "-in", certificate])
    let name = ended.output.filter { !$0.isWhitespace }
    try #require(symlink(certificate, "\(folder)/\(name).0") == 0)
  }
  func port(_ site: Site) -> Int { process.ports[Self.place(site)] }
  func url(_ site: Site, _ path: String = "/") -> String {
    "https://api.test:\(port(site))\(path)"
  }

  /// The overrides that the exchange needs to find `api.test`.
  var overrides: [String] { process.ports.map { "api.test:\($0):127.0.0.1" } }

  init(upstreamPort: Int) async throws {
    let folder = folder
    try await Self.makeCertificates(in: folder.path)
    Golden.write(Self.body, to: "\(folder.path)/list.json")
    process = try NginxProcess(sockets: Site.allCases.count, in: folder) { ports in
      Self.config(folder.path, ports, upstreamPort)
    }
  }

  func stop() async { await process.stop() }

  private static func place(_ site: Site) -> Int { Site.allCases.firstIndex(of: site) ?? 0 }

  private static func openssl(_ arguments: [String]) async throws {
    let ended = await BinaryRun.run("/usr/bin/openssl", arguments)
    try #require(ended.status == 0, "openssl: \(ended.errors)")
  }

  private static func makeCertificates(in folder: String) async throws {
    try #require(
      access("/usr/bin/openssl", X_OK) == 0,
      "openssl is missing: install the package openssl (apt-get install openssl)")
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ["ca", "other-ca"] {
      try await openssl(
        ["req", "-x509", "-days", "2", "-subj", "/CN=Trawl test \(name)"] + key
          + ["-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem"])
    }
    let leaves = [
      ("good", "ca", "api.test", "2"), ("otherHost", "ca", "else.test", "2"),
      ("expired", "ca", "api.test", "-1"), ("otherIssuer", "other-ca", "api.test", "2"),
    ]
    for (name, issuer, host, days) in leaves {
      let base = "\(folder)/\(name)"
      try await openssl(
        ["req", "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)"] + key
          + ["-keyout", "\(base).key", "-out", "\(base).csr"])
      try await openssl([
        "x509", "-req", "-in", "\(base).csr", "-CA", "\(folder)/\(issuer).pem", "-CAkey",
        "\(folder)/\(issuer).key", "-days", days, "-copy_extensions", "copy", "-out",
        "\(base).pem",
      ])
    }
  }

  private static func config(
    _ folder: String, _ ports: [Int], _ upstreamPort: Int
  ) -> String {
    let servers = Site.allCases.map { site in
      let isGood = [.plain, .brief, .oldTLS].contains(site)
      let certificate = isGood ? Site.good : site
      let isHTTP2 = site != .plain
      return """
        server {
          listen 127.0.0.1:\(ports[place(site)]) ssl\(isHTTP2 ? " http2" : "");
          ssl_certificate \(folder)/\(certificate.rawValue).pem;
          ssl_certificate_key \(folder)/\(certificate.rawValue).key;
          ssl_protocols \(site == .oldTLS ? "TLSv1.1" : "TLSv1.2 TLSv1.3");
          ssl_ciphers \(site == .oldTLS ? "ALL:@SECLEVEL=0" : "HIGH");
          \(site == .brief ? "keepalive_requests 2;" : "")
          add_header X-Connection $connection always;
          location /list.json { root \(folder); types { application/json json; } }
          location /down { return 302 http://api.test:\(ports[place(site)])/list.json; }
          location /up/ { proxy_pass http://127.0.0.1:\(upstreamPort)/; proxy_buffering off; }
        }
        """
    }
    return """
      gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;
      proxy_http_version 1.1;
      \(servers.joined(separator: "\n"))
      """
  }
}
