import Glibc
import TestSupport
import Testing

/// A limiter that is not ours: nginx with `limit_req` before a list of numbered pages. Its socket
/// is bound here to a free port and handed over.
final class LimiterServer: Sendable {
  /// Where the package puts it, or where `make deps` unpacks it beside the build.
  static let program: String? = {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    return ["/usr/sbin/nginx", "\(root)/.build/test-tools/usr/sbin/nginx"]
      .first { access($0, X_OK) == 0 }
  }()

  private let folder = ScratchFolder()
  private let listener: Int32
  let port: Int
  private let run: BinaryRun

  /// - Parameters:
  ///   - rate: requests a second.
  ///   - burst: that are let through above it, without delay.
  init(pages: Int, rate: Int, burst: Int) throws {
    let program = try #require(Self.program)
    (listener, port) = Loopback.listen()
    mkdir("\(folder.path)/list", 0o755)
    for page in 1...pages {
      try Self.write(
        #"{"items":[{"id":"\#(page)"}],"total":\#(pages)}"#,
        to: "\(folder.path)/list/\(page).json")
    }
    try Self.write(
      Self.config(folder.path, port, rate: rate, burst: burst), to: "\(folder.path)/nginx.conf")
    run = BinaryRun(
      program, ["-p", folder.path, "-e", "stderr", "-c", "\(folder.path)/nginx.conf"],
      environment: ["NGINX": BinaryRun.numbers(of: [listener]).map { "\($0);" }.joined()],
      handing: [listener])
  }

  func stop() async {
    run.kill(SIGTERM)
    _ = await run.end()
    close(listener)
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "we"))
    fputs(text, file)
    fclose(file)
  }

  private static func config(_ folder: String, _ port: Int, rate: Int, burst: Int) -> String {
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
      error_log stderr crit;
      events { worker_connections 64; }
      http {
        access_log off;
        \(folders.joined(separator: "\n  "))
        limit_req_zone $server_name zone=list:1m rate=\(rate)r/s;
        limit_req_status 429;
        server {
          listen 127.0.0.1:\(port);
          server_name list;
          location /list {
            limit_req zone=list burst=\(burst) nodelay;
            default_type application/json;
            alias \(folder)/list;
            try_files /$arg_page.json =404;
          }
          error_page 429 @later;
          location @later { add_header Retry-After 1 always; return 429; }
        }
      }
      """
  }
}
