internal import Base

/// Where a bucket is asked for: in the path, or in front of the host where the endpoint has its name there already.
public struct S3Address: Sendable {
  public var bucket: String
  public var region: String
  let origin: Origin
  /// Before each key, with a slash at its end.
  let prefix: String

  /// Why it cannot be asked.
  public struct Problem: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// - Parameter endpoint: nil: Amazon's own of the region.
  public init(bucket: String, endpoint: String?, region: String) throws(Problem) {
    self.bucket = bucket
    self.region = region
    guard let endpoint else {
      let host = "s3.\(region).amazonaws.com"
      // A certificate for all buckets holds for names without a dot.
      let isInHost = !bucket.utf8.contains(UInt8(ascii: "."))
      origin = Origin(scheme: "https", host: isInHost ? "\(bucket).\(host)" : host, port: 443)
      prefix = isInHost ? "/" : "/\(bucket)/"
      return
    }
    guard let address = try? WebAddress(endpoint), address.query == nil else {  // reported here
      throw Problem(
        description: "the store's endpoint is not an address: write it like https://s3.example")
    }
    origin = address.origin
    var path = address.path
    while path.hasSuffix("/") { path.removeLast() }
    prefix = origin.host.hasPrefix("\(bucket).") ? "\(path)/" : "\(path)/\(bucket)/"
  }

  /// With the port where it is not the scheme's own, as the `Host` field has it.
  var host: String {
    let usual = origin.scheme == "https" ? 443 : 80
    return origin.port == usual ? origin.host : "\(origin.host):\(origin.port)"
  }

  func path(_ key: String) -> String {
    let parts = key.split(separator: "/", omittingEmptySubsequences: false)
    let path = prefix + parts.map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
    // Of the bucket itself there is no slash behind its name.
    return key.isEmpty && path.utf8.count > 1 ? String(path.dropLast()) : path
  }

  func url(_ path: String, _ query: String) -> String {
    "\(origin.scheme)://\(host)\(path)\(query.isEmpty ? "" : "?\(query)")"
  }
}
