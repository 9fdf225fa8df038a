import Glibc

/// nginx on a free loopback port, serving the files of a folder.
struct Server {
  /// Where Debian installs it, or `make deps` unpacks it beside the build.
  private static let roots = ["", ".build/test-tools"]
  static let delay = 0.02

  let port: Int
  /// Whether this nginx has the module with which `/away/…` answers like `/…`, 20 ms later.
  let canDelay: Bool
  private let process: Process
  private let socket: Int32

  init(folder: String, www: String) throws {
    guard let program = Self.find("/usr/sbin/nginx", X_OK) else {
      throw Trouble("nginx is missing: make deps")
    }
    let echo = Self.find("/usr/lib/nginx/modules/ngx_http_echo_module.so", R_OK)
    canDelay = echo != nil
    (socket, port) = try Self.listen()
    try File.write(Self.config(folder, www, port, echo), to: "\(folder)/nginx.conf")
    // nginx inherits the listening socket, so that no port is guessed.
    setenv("NGINX", "\(socket);", 1)
    process = try Process(
      [program, "-p", folder, "-e", "\(folder)/nginx.log", "-c", "\(folder)/nginx.conf"],
      output: "\(folder)/nginx.out")
    unsetenv("NGINX")
  }

  var address: String { "http://127.0.0.1:\(port)" }
  var addressFarAway: String { address + "/away" }

  func end() {
    process.stop()
    close(socket)
  }

  private static func find(_ path: String, _ mode: Int32) -> String? {
    guard let found = roots.map({ $0 + path }).first(where: { access($0, mode) == 0 }),
      let absolute = realpath(found, nil)
    else { return nil }
    defer { free(absolute) }
    return String(cString: absolute)
  }

  // Only a master with workers inherits sockets; `user` applies to root alone, whose workers could not read the folder
  // otherwise. Answers have no validators, so each is read entirely.
  private static func config(_ folder: String, _ www: String, _ port: Int, _ echo: String?)
    -> String
  {
    let delayed =
      echo == nil
      ? "" : "location ~ ^/away(?<rest>/.*)$ { echo_sleep \(delay); echo_exec $rest $args; }"
    return """
      \(echo.map { "load_module \($0);" } ?? "")
      daemon off; worker_processes 2; user root; pid \(folder)/nginx.pid;
      error_log \(folder)/nginx.log warn;
      events { worker_connections 1024; }
      http {
        access_log off; sendfile on; tcp_nodelay on; keepalive_requests 10000000;
        etag off; if_modified_since off; add_header Last-Modified "";
        client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2;
        fastcgi_temp_path \(folder)/t3; uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
        types { image/jpeg jpg; application/json json; }
        server {
          listen 127.0.0.1:\(port);
          root \(www);
          location ~ ^/(?<set>[a-z]+)$ {
            default_type application/json;
            try_files /$set/$arg_page.json /$set/empty.json;
          }
          \(delayed)
        }
      }

      """
  }

  private static func listen() throws -> (Int32, Int) {
    // Inherited, so not closed on exec. Non-blocking: of two workers notified of one connection the later one must not
    // wait in `accept`, and nginx does not set that on inherited sockets.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    let listener = Glibc.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && Glibc.listen(listener, 512) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isReady else { throw Trouble("no socket on loopback") }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }
}
