import Glibc

/// nginx on a free port of loopback, serving files from a folder.
struct ImageServer {
  /// Where Debian puts it, or where `make deps` unpacks it beside the build.
  private static let places = ["/usr/sbin/nginx", ".build/test-tools/usr/sbin/nginx"]

  let port: Int
  private let process: Process
  private let socket: Int32

  init(folder: String) throws {
    guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
      throw Trouble("nginx is missing: make deps")
    }
    (socket, port) = try Self.listen()
    try Self.write(Self.config(folder, port), to: "\(folder)/nginx.conf")
    // nginx takes the listening socket over, so that no port is guessed.
    setenv("NGINX", "\(socket);", 1)
    process = try Process(
      [program, "-p", folder, "-e", "\(folder)/nginx.log", "-c", "\(folder)/nginx.conf"],
      output: "\(folder)/nginx.out")
    unsetenv("NGINX")
  }

  func end() {
    process.kill(SIGTERM)
    close(socket)
  }

  // Only a master with a worker takes sockets over; `user` counts for root alone, whose worker could
  // not read the folder otherwise.
  private static func config(_ folder: String, _ port: Int) -> String {
    """
    daemon off; worker_processes 1; user root; pid \(folder)/nginx.pid;
    error_log \(folder)/nginx.log warn;
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000;
      client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2;
      fastcgi_temp_path \(folder)/t3; uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
      types { image/jpeg jpg; application/json json; }
      server {
        listen 127.0.0.1:\(port);
        root \(folder)/www;
        location = /list { default_type application/json; try_files /list-$arg_page.json =404; }
      }
    }

    """
  }

  private static func listen() throws -> (Int32, Int) {
    // Not closed on exec: the child inherits it.
    let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw Trouble("cannot write \(path)") }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw Trouble("cannot write \(path)") }
  }
}
