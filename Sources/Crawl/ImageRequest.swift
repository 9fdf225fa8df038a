internal import Model

/// How images are asked for: no credential, no cookie, no referrer; from public addresses only,
/// but for hosts that the job allows.
struct ImageRequest {
  let media: MediaSettings
  let allowsLoopback: Bool
  var times: TransferLimits = Self.times

  /// An image is small: what takes a minute is not worth the place that it takes.
  static let times: TransferLimits = {
    var limits = TransferLimits()
    limits.stallTimeout = .seconds(20)
    limits.totalTimeout = .seconds(60)
    return limits
  }()

  func request(for address: WebAddress, _ conditions: [HeaderField] = []) -> Request {
    let isAllowed = media.allow.contains { $0.equalsIgnoringCase(address.origin.host) }
    var limits = times
    limits.bodyBytesMax = media.fileBytesMax + 1
    return Request(
      address, fields: [HeaderField("Accept", "image/*")] + conditions,
      rule: AddressRule(
        trusted: isAllowed ? [address.origin] : [], allowsLoopback: allowsLoopback),
      limits: limits)
  }
}
