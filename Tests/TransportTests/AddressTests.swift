import Base
import TestSupport
@testable import Transport
import Testing

@Suite("The address guard", .prompt)
struct AddressTests {
  @Test(
    "knows every network that is not for the public",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
      "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.0",
      "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255",
      "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
      "239.255.255.255", "240.0.0.1", "255.255.255.255",
      "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::10.0.0.1",
      "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8", "100::1",
      "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:db8::1",
      "2002:7f00:1::", "2002:a00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
      "fe80::1", "febf::1", "fec0::1", "ff02::1", "1::1", "4000::1",
    ])
  func closed(text: String) throws {
    #expect(AddressKind(try #require(IPAddress(text))) != .open)
  }

  @Test(
    "lets the public internet pass",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255",
      "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
      "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2a00::1",
      "2400:cb00::1", "64:ff9b::8.8.8.8", "3fff:1000::1",
    ])
  func open(text: String) throws {
    #expect(AddressKind(try #require(IPAddress(text))) == .open)
  }

  @Test("advises nobody to reach where clouds keep credentials, and an option only where it helps")
  func advice() throws {
    let shown = try WebAddress("https://media.test/a.png")
    for (address, cure) in [
      ("169.254.169.254", nil), ("127.0.0.1", "--allow-loopback"), ("10.0.0.1", "--endpoint"),
    ] as [(String, String?)] {
      let rule = AddressRule(trusted: [], allowsLoopback: false)
      let guarded = AddressGuard(rule: rule, origin: shown.origin, isProxied: false)
      let place = try #require(IPAddress(address))
      let why = try #require(guarded.refusal(of: place))
      let sentence = Sentences.refusal(of: shown, address: address, why: why)
      for option in ["--allow-loopback", "endpoint"] {
        #expect(sentence.contains(option) == (cure?.contains(option) ?? false), "\(sentence)")
      }
    }
  }

  /// Address spellings that no media host has; a listener waits on loopback.
  static let spellings = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x7F.1",
    "0177.0.0.1", "017700000001", "0177.0.0.0x1", "127.255.255.254", "127.0.0.1.", "localhost",
    "LocalHost", "localhost.", "api.localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]",
    "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[::]", "0.0.0.0", "0", "0x0", "00", "0.0",
    "10.0.0.1", "0xa.0.0.1", "167772161", "012.0.0.1", "10.1", "172.16.0.1", "172.31.255.255",
    "192.168.0.1", "192.168.257", "3232235521", "100.64.0.1", "169.254.169.254", "2852039166",
    "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518", "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%25lo]", "[fec0::1]", "[ff02::1]", "224.0.0.1",
    "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1",
    "[2001:db8::1]", "[2001::1]", "[100::1]", "%31%32%37.0.0.1", "127.0.0.1%2e",
    "\u{2460}\u{2461}\u{2466}.0.0.1", "127\u{3002}0\u{3002}0\u{3002}1", "user@127.0.0.1",
    "media.test@127.0.0.1", "127.0.0.1#@media.test", "named.test", "mapped.test", "[zz]",
  ]

  static func overrides(_ port: Int) -> TransportOptions {
    options {
      $0.resolveOverrides = [
        "named.test:\(port):127.0.0.1", "mapped.test:\(port):[::ffff:127.0.0.1]",
        "two.test:\(port):10.9.8.7,127.0.0.1", "both.test:\(port):10.9.8.7,169.254.169.254",
      ]
    }
  }

  @Test("refuses each spelling of a private address, and nothing is connected to")
  func direct() async throws {
    try await meet(ScriptedServer.json("{}"), options: Self.overrides) { target, exchange in
      var count = 0
      for spelling in Self.spellings {
        // What is no valid address is refused before the exchange.
        guard let address = try? WebAddress("http://\(spelling):\(target.port)/") else {
          continue
        }
        count += 1
        let request = Request(address, rule: AddressRule())
        let failure = await exchange.failure(request)
        let isRefusal = failure?.kind == .refusedAddress || failure?.kind == .unbuildable
        #expect(isRefusal && failure?.cause == .request, "\(spelling): \(failure as Any)")
        #expect(failure?.mayPass == false)
      }
      #expect(count > 40 && target.connections == 0, "\(count) spellings")
    }
  }

  @Test("refuses each of them behind a redirect, at any hop")
  func redirected() async throws {
    let target = serve(ScriptedServer.json("{}"))
    let spellings = Self.spellings
    let first = serve { call in
      // `/3/7` leads to `/2/7`, … and `/0/7` to the seventh spelling.
      let parts = call.path.split(separator: "/").compactMap { Int($0) }
      if parts[0] > 0 { return ScriptedServer.redirect("/\(parts[0] - 1)/\(parts[1])") }
      return ScriptedServer.redirect("http://\(spellings[parts[1]]):\(target.port)/")
    }
    try await withExchange(Self.overrides(target.port)) { exchange in
      for index in spellings.indices {
        var request = try Request(first.url("/\(index % 5)/\(index)"), loopback: false)
        request.rule.trusted = [request.address.origin]
        let failure = await exchange.failure(request)
        let kinds: [ExchangeFailure.Kind] = [.refusedAddress, .refusedRedirect, .unbuildable]
        #expect(
          failure.map { kinds.contains($0.kind) } == true && failure?.cause == .request,
          "\(spellings[index]): \(failure as Any)")
      }
      #expect(target.connections == 0)
    }
  }

  @Test("lets a trusted origin be anywhere, and loopback where it is allowed")
  func trusted() async throws {
    try await meet(ScriptedServer.json("{}"), options: Self.overrides) { target, exchange in
      for host in ["127.0.0.1", "localhost", "named.test", "mapped.test"] {
        var request = try Request("http://\(host):\(target.port)/", loopback: false)
        request.rule.trusted = [request.address.origin]
        for rule in [request.rule, AddressRule(allowsLoopback: true)] {
          request.rule = rule
          let answer = try await exchange.follow(request)
          #expect(answer.status == 200)
        }
      }
    }
  }

  @Test("goes on to a host's next address when the first is refused")
  func nextAddress() async throws {
    try await meet(ScriptedServer.json("{}"), options: Self.overrides) { target, exchange in
      let answer = try await exchange.follow(Request("http://two.test:\(target.port)/"))
      #expect(answer.status == 200)
      let failure = await exchange.failure(try Request("http://both.test:\(target.port)/"))
      #expect(failure?.kind == .refusedAddress)
    }
  }

  @Test("judges a connection again that was opened under a wider rule")
  func reuse() async throws {
    // By its name: an address in the URL would be refused before any connection is looked for.
    try await meet(ScriptedServer.json("{}"), options: Self.overrides) { target, exchange in
      let origin = "http://named.test:\(target.port)"
      var request = try Request("\(origin)/trusted", loopback: false)
      request.rule.trusted = [request.address.origin]
      _ = try await exchange.follow(request)
      let narrow = try Request("\(origin)/media", loopback: false)
      let failure = await exchange.failure(narrow)
      #expect(failure?.kind == .refusedAddress && failure?.cause == .request)
      #expect(target.calls.map(\.path) == ["/trusted"])
      _ = try await exchange.follow(request)
    }
  }

  @Test("tells a refused address from a host that is not there")
  func deadHost() async throws {
    let gone = DeadPort()
    let settings = options {
      $0.resolveOverrides = ["half.test:\(gone.port):10.9.8.7,127.0.0.1"]
    }
    try await withExchange(settings) { exchange in
      let failure = await exchange.failure(try Request("http://half.test:\(gone.port)/"))
      #expect(failure?.kind == .unreachable && failure?.mayPass == true)
    }
  }
}
