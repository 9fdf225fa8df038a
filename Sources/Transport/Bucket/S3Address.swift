internal import Base

/// The address of a bucket: with its name in the path, or before the host if the endpoint has it there already.
public struct S3Address: Sendable {
  public var bucket: String
  public var region: String
  let origin: Origin
  /// Precedes each key; ends with a slash.
  let prefix: String

  /// - Parameter endpoint: nil: Amazon's endpoint of the region.
  public init(bucket: String, endpoint: String?, region: String) throws(StoreFailure) {
    self.bucket = bucket
    self.region = region
    guard let endpoint else {
      let host = "s3.\(region).amazonaws.com"
      // A wildcard certificate only covers names without dots.
      let isInHost = !bucket.utf8.contains(UInt8(ascii: "."))
      origin = Origin(scheme: "https", host: isInHost ? "\(bucket).\(host)" : host, port: 443)
      prefix = isInHost ? "/" : "/\(bucket)/"
      return
    }
    guard let address = try? WebAddress(endpoint), address.query == nil else {  // reported here
      throw StoreFailure(
        .configuration, "the store's endpoint is not an address: write it like https://s3.example")
    }
    origin = address.origin
    var path = address.path
    while path.hasSuffix("/") { path.removeLast() }
    prefix = origin.host.hasPrefix("\(bucket).") ? "\(path)/" : "\(path)/\(bucket)/"
  }

  func path(_ key: String) -> String {
    let parts = key.split(separator: "/", omittingEmptySubsequences: false)
    let path = prefix + parts.map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
    // The bucket itself has no slash after its name.
    return key.isEmpty && path.utf8.count > 1 ? String(path.dropLast()) : path
  }

  func url(_ path: String, _ query: String) -> String {
    "\(origin)\(path)\(query.isEmpty ? "" : "?\(query)")"
  }
}
