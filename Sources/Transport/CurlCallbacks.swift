internal import CCurl
internal import Glibc

// libcurl calls these functions on the loop's thread, inside `curl_multi_perform` or while a handle is removed. They
// only forward, and must not call libcurl.

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

/// Any other count than the given one ends the transfer.
private let refusesBytes = 0

func curlReceiveHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context)?.receiveHead(line) == true ? size * count : refusesBytes
}

func curlReceiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  if piece.isEmpty { return 0 }
  return transfer(context)?.receiveBody(piece) == true ? size * count : refusesBytes
}

func curlOpenSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let transfer = transfer(context), let address, purpose == CURLSOCKTYPE_IPCXN else {
    return CURL_SOCKET_BAD
  }
  // An IPv6 address extends beyond the struct's last member.
  guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return CURL_SOCKET_BAD }
  let target = IPAddress(
    UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
  guard transfer.mayConnect(to: target) else { return CURL_SOCKET_BAD }
  return socket(
    address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
    address.pointee.protocol)
}

func curlBeforeSending(
  _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  let address = remote.map { String(cString: $0) } ?? ""
  let isAllowed = transfer(context)?.maySend(overConnectionTo: address) == true
  return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

func curlHearNote(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard kind == CURLINFO_TEXT else { return 0 }
  let note = UnsafeRawBufferPointer(start: bytes, count: count)
  // The texts of libcurl 7 and 8: "Excess found in a read:", "Excess found writing body:".
  if note.starts(with: "Excess found".utf8) { transfer(context)?.hearExcess() }
  return 0
}
