import TestSupport

/// A limiter that is not ours: nginx with `limit_req` before a list of numbered pages.
enum LimiterServer {
  /// - Parameters:
  ///   - rate: requests a second.
  ///   - burst: that are let through above it, without delay.
  static func start(pages: Int, rate: Int, burst: Int) throws -> NginxProcess {
    let folder = ScratchFolder()
    for page in 1...pages {
      Golden.write(
        #"{"items":[{"id":"\#(page)"}],"total":\#(pages)}"#,
        to: "\(folder.path)/list/\(page).json")
    }
    return try NginxProcess(sockets: 1, in: folder) { ports in
      """
      limit_req_zone $server_name zone=list:1m rate=\(rate)r/s;
      limit_req_status 429;
      server {
        listen 127.0.0.1:\(ports[0]);
        server_name list;
        location /list {
          limit_req zone=list burst=\(burst) nodelay;
          default_type application/json;
          alias \(folder.path)/list;
          try_files /$arg_page.json =404;
        }
        error_page 429 @later;
        location @later { add_header Retry-After 1 always; return 429; }
      }
      """
    }
  }
}
