import Glibc

/// The target named by `TRAWL_FUZZ`: one program has all.
private let target: Target = {
  let name = getenv("TRAWL_FUZZ").map { String(cString: $0) } ?? ""
  if let target = Target(rawValue: name) { return target }
  print(Target.allCases.map(\.rawValue).joined(separator: "\n"))
  fflush(nil)
  // libFuzzer reports an orderly exit as a finding.
  _exit(name.isEmpty ? 0 : 64)
}()

/// Called by libFuzzer's `main` with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.feed(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
