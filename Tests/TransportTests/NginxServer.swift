import Glibc
import TestSupport
import Testing

/// A real server that speaks TLS and HTTP/2, with certificates made for the test. Its sockets are
/// bound here to free ports and handed over, so no port is ever guessed.
final class NginxServer: Sendable {
  enum Site: String, CaseIterable, Sendable {
    /// HTTP/2, a certificate of the test's CA for `api.test`.
    case good
    /// The same without HTTP/2.
    case plain
    /// HTTP/2, and says goodbye on a connection at its second request.
    case brief
    /// A certificate for another host, one that has expired, one of another CA, and TLS 1.1.
    case otherHost, expired, otherIssuer, oldTLS
  }

  /// Where the package puts it, or where `make deps` unpacks it beside the build.
  static let program: String = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let places = ["/usr/sbin/nginx", "\(root)/.build/test-tools/usr/sbin/nginx"]
    return places.first { access($0, X_OK) == 0 } ?? places[0]
  }()
  static let body = "[" + (0..<2000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"

  private let folder = ScratchFolder()
  private let ports: [Site: Int]
  private let sockets: [Int32]
  private let run: BinaryRun

  var caFile: String { "\(folder.path)/ca.pem" }
  /// Of an issuer that has signed nothing of this server but one site.
  var otherCAFile: String { "\(folder.path)/other-ca.pem" }

  /// Puts a certificate into a folder under the name by which OpenSSL looks for it.
  static func hash(_ certificate: String, into folder: String) async throws {
    let ended = await BinaryRun.run(
      "/usr/bin/openssl", ["x509", "-hash", "-noout", "-in", certificate])
    let name = ended.output.filter { !$0.isWhitespace }
    try #require(symlink(certificate, "\(folder)/\(name).0") == 0)
  }
  func port(_ site: Site) -> Int { ports[site] ?? 0 }
  func url(_ site: Site, _ path: String = "/") -> String {
    "https://api.test:\(port(site))\(path)"
  }

  /// What the exchange needs to find `api.test` here.
  var overrides: [String] { ports.values.map { "api.test:\($0):127.0.0.1" } }

  init(upstreamPort: Int) async throws {
    try #require(
      access(Self.program, X_OK) == 0,
      "nginx is missing: run make deps, or apt-get install nginx")
    try await Self.makeCertificates(in: folder.path)
    var ports: [Site: Int] = [:]
    var sockets: [Int32] = []
    for site in Site.allCases {
      let (socket, port) = Loopback.listen()
      ports[site] = port
      sockets.append(socket)
    }
    self.ports = ports
    self.sockets = sockets
    let config = Self.config(folder.path, ports, upstreamPort)
    try Self.write(config, to: "\(folder.path)/nginx.conf")
    try Self.write(Self.body, to: "\(folder.path)/list.json")
    run = BinaryRun(
      Self.program, ["-p", folder.path, "-e", "stderr", "-c", "\(folder.path)/nginx.conf"],
      environment: ["NGINX": BinaryRun.numbers(of: sockets).map { "\($0);" }.joined()],
      handing: sockets)
  }

  func stop() async {
    run.kill(SIGTERM)
    _ = await run.end()
    for socket in sockets { close(socket) }
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "we"))
    fputs(text, file)
    fclose(file)
  }

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
    _ folder: String, _ ports: [Site: Int], _ upstreamPort: Int
  ) -> String {
    let servers = Site.allCases.map { site in
      let isGood = [.plain, .brief, .oldTLS].contains(site)
      let certificate = isGood ? Site.good : site
      let isHTTP2 = site != .plain
      return """
        server {
          listen 127.0.0.1:\(ports[site] ?? 0) ssl\(isHTTP2 ? " http2" : "");
          ssl_certificate \(folder)/\(certificate.rawValue).pem;
          ssl_certificate_key \(folder)/\(certificate.rawValue).key;
          ssl_protocols \(site == .oldTLS ? "TLSv1.1" : "TLSv1.2 TLSv1.3");
          ssl_ciphers \(site == .oldTLS ? "ALL:@SECLEVEL=0" : "HIGH");
          \(site == .brief ? "keepalive_requests 2;" : "")
          add_header X-Connection $connection always;
          location /list.json { root \(folder); types { application/json json; } }
          location /down { return 302 http://api.test:\(ports[site] ?? 0)/list.json; }
          location /up/ { proxy_pass http://127.0.0.1:\(upstreamPort)/; proxy_buffering off; }
        }
        """
    }
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }
    // Only a master with a worker takes sockets over; `user` counts for root alone, whose worker
    // could not read the folder otherwise.
    return """
      daemon off;
      worker_processes 1;
      user root;
      pid \(folder)/nginx.pid;
      error_log stderr error;
      events { worker_connections 256; }
      http {
        access_log off;
        \(folders.joined(separator: "\n  "))
        gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;
        proxy_http_version 1.1;
        \(servers.joined(separator: "\n"))
      }
      """
  }
}
