import Glibc
internal import Testing

/// nginx, a server that is not ours. Its sockets are bound here to free ports and handed over, so no port is guessed.
public final class NginxProcess: Sendable {
  /// Where its package installs it, or where `make deps` unpacks it beside the build.
  public static let program: String? = [
    "/usr/sbin/nginx", "\(Golden.root)/.build/test-tools/usr/sbin/nginx",
  ].first { access($0, X_OK) == 0 }

  public let folder: ScratchFolder
  public let ports: [Int]
  private let sockets: [Int32]
  private let run: BinaryRun

  /// - Parameter http: the content of the `http` block, for its ports.
  public init(sockets count: Int, in folder: ScratchFolder, http: ([Int]) -> String) throws {
    let program = try #require(
      Self.program, "nginx is missing: run make deps, or apt-get install nginx")
    let bound = (0..<count).map { _ in Loopback.listen() }
    self.folder = folder
    ports = bound.map(\.port)
    sockets = bound.map(\.descriptor)
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder.path)/\($0);"
    }
    // Only a master with a worker takes over sockets; `user` only matters for root, whose worker could not read the
    // folder otherwise.
    Golden.write(
      """
      daemon off;
      worker_processes 1;
      user root;
      pid \(folder.path)/nginx.pid;
      error_log stderr crit;
      events { worker_connections 256; }
      http {
        access_log off;
        \(folders.joined(separator: "\n  "))
        \(http(ports))
      }
      """, to: "\(folder.path)/nginx.conf")
    run = BinaryRun(
      program, ["-p", folder.path, "-e", "stderr", "-c", "\(folder.path)/nginx.conf"],
      environment: ["NGINX": BinaryRun.numbers(of: sockets).map { "\($0);" }.joined()],
      handing: sockets)
  }

  public func stop() async {
    run.kill(SIGTERM)
    _ = await run.end()
    for socket in sockets { close(socket) }
  }
}
