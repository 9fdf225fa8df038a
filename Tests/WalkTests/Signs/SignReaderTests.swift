import Base
import Walk
import Testing

@Suite("What an answer says of more pages beside what its job reads")
struct SignReaderTests {
  @Test(
    "names each that stands at the top or in a usual envelope, in whatever spelling",
    arguments: [
      (#""next":"x""#, "next more"), (#""next":null"#, "next end"), (#""next":"""#, "next end"),
      (#""next_page":3"#, "next_page more"), (#""nextPageToken":"t""#, "nextPageToken more"),
      (#""@odata.nextLink":"http://h/2""#, #""@odata.nextLink" more"#),
      (#""@odata.count":12"#, #""@odata.count" count"#),
      (#""has_more":true"#, "has_more more"), (#""hasMore":false"#, "hasMore end"),
      (#""is_last":false"#, "is_last more"), (#""endOfRecords":true"#, "endOfRecords end"),
      (#""incomplete_results":true"#, "incomplete_results part"),
      (#""paging":{"next":"n"}"#, "paging.next more"),
      (#""paging":{"next":{"after":"3"}}"#, "paging.next more"),
      (#""paging":{"cursors":{"before":"b","after":"a"}}"#, "paging.cursors.after cursor"),
      (#""links":{"next":{"href":"/2"}}"#, "links.next more"),
      (#""_links":{"next":{"href":null}}"#, "_links.next end"),
      (#""links":[{"rel":"self","href":"/1"},{"rel":"next","href":"/2"}]"#, "links.next more"),
      (#""meta":{"pagination":{"total_pages":3}}"#, "meta.pagination.total_pages pages"),
      (#""response_metadata":{"next_cursor":"d"}"#, "response_metadata.next_cursor more"),
      (#""info":{"count":826}"#, "info.count count"),
      (#""total":{"value":10000,"relation":"gte"}"#, "total unclear"),
      (#""total":{"value":9,"relation":"eq"}"#, "total length"),
      (#""total":"many""#, "total unclear"), (#""page":1"#, "page page"),
      (#""cursor":"c""#, "cursor cursor"),
      (#""continue":{"rncontinue":"x"}"#, "continue.rncontinue more"),
      (#""message":"only a part is shown""#, "message notice"),
      (#""errors":[{"code":1}]"#, "errors notice"),
      (#""hitCount":100"#, "hitCount count"), (#""totalFeatures":100"#, "totalFeatures length"),
      (#""totalResultsAvailable":100"#, "totalResultsAvailable length"),
      (#""item-count":250"#, "item-count count"), (#""total_items":"250""#, "total_items length"),
      (#""metadata":{"remainingItemCount":80}"#, "metadata.remainingItemCount more"),
      (#""paginate":{"next":2}"#, "paginate.next more"),
      (#""paginationOutput":{"totalPages":5}"#, "paginationOutput.totalPages pages"),
      (#""links":[{"rel":["self"]},{"rel":["next"],"href":"/2"}]"#, "links.next more"),
      (#""links":[{"relation":"self"},{"relation":"next"}]"#, "links.next more"),
      (#""jobComplete":false"#, "jobComplete more"), (#""limitReached":true"#, "limitReached more"),
      (#""capped":true"#, "capped more"), (#""additionalResults":true"#, "additionalResults more"),
      (
        #""@search.nextPageParameters":{"skip":20}"#,
        #""@search.nextPageParameters" more"#
      ),
      (#""extensions":{"warnings":[{"message":"partial result"}]}"#, "extensions.warnings notice"),
      (#""failed":2"#, "failed part"), (#""eof":false"#, "eof more"),
      (#""totalAvailable":137"#, "totalAvailable length"),
      (#""range":{"from":0,"total":137}"#, "range.total length"),
      (#""throttled":true"#, "throttled part"), (#""degraded":true"#, "degraded part"),
      (#""terminated_early":true"#, "terminated_early part"), (#""nhits":40"#, "nhits length"),
      (#""responseHeader":{"partialResults":true}"#, "responseHeader.partialResults part"),
      (
        #""properties":{"exceededTransferLimit":true}"#,
        "properties.exceededTransferLimit more"
      ),
      (#""errcode":45009"#, "errcode notice"), (#""retcode":-1"#, "retcode notice"),
      (#""stat":"fail""#, "stat notice"), (#""TotalRecordCount":257"#, "TotalRecordCount length"),
      (#""result_info":{"total_count":257}"#, "result_info.total_count length"),
      (#""message":"First 100 returned successfully""#, "message notice"),
      (#""recordsTotal":500"#, "recordsTotal count"),
      (#""recordsTotal":500,"recordsFiltered":1"#, "recordsFiltered length"),
      (#""iTotalRecords":"500""#, "iTotalRecords count"),
      (#""iTotalRecords":500,"iTotalDisplayRecords":"1""#, "iTotalDisplayRecords length"),
      (#""hits_total":500"#, "hits_total length"),
      (#""prevArchive":"https://api.example/2025""#, "prevArchive more"),
    ])
  func names(member: String, sign: String) throws {
    #expect(try FakeJob.signs("{\"items\":[1],\(member)}") == [sign])
  }

  @Test(
    "is silent where nothing is said",
    arguments: [
      #""status":"ok""#, #""stat":"ok""#, #""errcode":0"#, #""errorCode":200"#, #""failed":0"#,
      #""failed":false"#, #""failed":[]"#, #""throttled":false"#,
      #""message":"OK""#, #""errors":[]"#, #""error":null"#, #""total":null"#,
      #""cursor":"""#, #""count":"few""#, #""last":"http://h/9""#, #""nextSteps":"relax""#,
      #""payload":{"next":"x"}"#, #""items2":[{"next":"x"}]"#, #""jobComplete":true"#,
      #""limitReached":false"#, #""rateLimitReached":true"#, #""remaining":80"#,
      #""remainingRequests":80"#, #""user":{"limitReached":true}"#, #""more_info_url":"http://h/""#,
      #""extensions":{"warnings":[{"type":"DEPRECATION"}]}"#, #""userCount":3"#,
      #""nextPageInfo":{"number":null}"#, #""remainingItemCount":0"#,
      #""responseHeader":{"params":{"partialResults":"true"}}"#,
      #""settings":{"allowPartialResults":true}"#, #""id":1,"done":false,"code":"420""#,
      #""Message":"Response returned successfully""#,
      #""links":[{"rel":"next","href":null}]"#, #""links":[{"rel":"next","url":""}]"#,
    ])
  func silent(member: String) throws {
    #expect(try FakeJob.signs("{\"items\":[1],\(member)}") == [])
  }

  @Test(
    "looks into the parts of an answer that is a list of them",
    arguments: [
      (#"[{"page":1,"total":40},[{"id":1}]]"#, "1", ["0.page page", "0.total length"]),
      (#"[[{"id":1}],{"has_more":true}]"#, "0", ["1.has_more more"]),
      // Three records, and one.
      (#"[{"id":1},{"total":3},{"id":2}]"#, ".", []), (#"[{"id":1,"total":3}]"#, "0", []),
    ])
  func parts(body: String, records: String, told: [String]) throws {
    let signs = try FakeJob.signs(body, records: records)
    #expect(signs == told)
  }

  @Test("never looks into records, and not at what the job reads")
  func ownPlaces() throws {
    let token = Pager.token(parameter: "t", next: try JSONPath("meta.next"))
    #expect(
      try FakeJob.signs(
        #"{"items":[{"next":"x","total":3}],"meta":{"next":"t","total":7}}"#, pager: token,
        change: { $0.total = Total(paths: [try JSONPath("meta.total")], trust: .counted) }) == [])
    #expect(try FakeJob.signs(#"{"next":"x","total":3}"#, records: ".") == [], "one record")
    #expect(
      try FakeJob.signs(#"{"total":{"id":1},"next":{"id":2},"more":{"id":3}}"#, records: "*") == [],
      "a list by keys")
    #expect(
      try FakeJob.signs(#"{"data":{"after":"t3","children":[1]}}"#, records: "data.children")
        == ["data.after more"])
    #expect(
      try FakeJob.signs(
        #"{"data":{"list":{"nodes":[1],"pageInfo":{"hasNextPage":true,"endCursor":"e"}}}}"#,
        records: "data.list.nodes")
        == ["data.list.pageInfo.hasNextPage more", "data.list.pageInfo.endCursor cursor"])
  }

  @Test("knows how many there are by the list's own name")
  func ownName() throws {
    for member in [#""release-count":250"#, #""total_releases":250"#, #""numReleases":250"#] {
      let signs = try FakeJob.signs("{\"releases\":[1],\(member)}", records: "releases")
      #expect(signs.count == 1 && signs[0].hasSuffix(" count"), "\(signs)")
    }
    #expect(try FakeJob.signs(#"{"releases":[1],"release_number":9}"#, records: "releases") == [])
  }

  @Test("a counted total that its answer calls a bound or an estimate is none")
  func bounds() throws {
    func signs(_ members: String, total: String) throws -> [String] {
      try FakeJob.signs("{\"items\":[1],\(members)}") {
        $0.total = Total(paths: [try JSONPath(total)], trust: .counted)
      }
    }
    for (members, place) in [
      (#""total":{"value":10000,"relation":"gte"}"#, "total.relation"),
      (#""total":{"value":9},"total_is_estimated":true"#, "total_is_estimated"),
      (#""total":{"value":9},"exhaustiveTotal":false"#, "exhaustiveTotal"),
      (#""total":{"value":9},"count_capped":true"#, "count_capped"),
    ] {
      #expect(try signs(members, total: "total.value") == ["\(place) unclear"])
    }
    #expect(
      try signs(
        #""total":{"value":9,"relation":"eq"},"exactCount":true,"isTotalCapped":false"#,
        total: "total.value") == [])
  }

  @Test(
    "looks into an object that holds a nested list, and says what is clear",
    arguments: [
      (#""nodes":[1],"pageInfo":{"hasNextPage":true}"#, "items.*.parts.pageInfo.hasNextPage part"),
      (#""nodes":[1],"totalCount":50"#, "items.*.parts.totalCount part"),
      (#""nodes":[1],"total":50,"maxResults":1"#, "items.*.parts.total part"),
      (#""nodes":[1],"has_more":true"#, "items.*.parts.has_more part"),
      (#""nodes":[1],"next":"/parts?page=2""#, "items.*.parts.next part"),
      (#""nodes":[1],"paging":{"next":"/parts/2"}"#, "items.*.parts.paging.next part"),
      (#""nodes":[1],"pageInfo":{"hasNextPage":false}"#, nil),
      (#""nodes":[1],"totalCount":1"#, nil),
      (#""nodes":[1],"total":50"#, "items.*.parts.total part"),
      (#""nodes":[1],"count":2"#, "items.*.parts.count part"), (#""nodes":[1],"count":1"#, nil),
      (#""nodes":[1],"totalSize":300,"done":false"#, "items.*.parts.totalSize part"),
      (#""nodes":[1],"isLastPage":false"#, "items.*.parts.isLastPage part"),
      (#""nodes":[1],"isLastPage":true"#, nil),
      (#""nodes":[1],"nextPageToken":"CAUQAA""#, "items.*.parts.nextPageToken part"),
      (#""nodes":[1],"nextPageToken":"""#, nil), (#""nodes":[1],"cursor":null"#, nil),
      (#""nodes":[1],"cursor":"MSw5""#, "items.*.parts.cursor part"),
      (#""nodes":[1],"total":{"value":40,"relation":"eq"}"#, "items.*.parts.total part"),
      // Counts of other things, a chapter, a task.
      (#""nodes":[{"id":1,"votes":9}],"total":50"#, nil),
      (#""nodes":[1],"next_url":"/chapters/2""#, nil), (#""nodes":[1],"next":"chapter-2""#, nil),
      (#""nodes":[1],"done":false"#, nil), (#""nodes":[1],"status":"failed","page":3"#, nil),
    ] as [(String, String?)])
  func nested(parts: String, sign: String?) throws {
    var stream = try FakeJob.stream(.single, size: nil)
    stream.children = [try FakeJob.child("parts", at: "parts.nodes")]
    func page(_ unread: [[String]]) throws -> Page {
      stream.unread = unread
      return try FakeJob.page(
        "{\"items\":[{\"id\":1},{\"id\":2},{\"id\":3,\"parts\":{\(parts)}}]}", of: stream)
    }
    let plain = try page([])
    #expect(plain.signs.map { "\($0.place) \($0.kind.rawValue)" } == [sign].compactMap(\.self))
    let known = try page([["items", "*", "parts"]])
    #expect(known.signs.isEmpty && known.hasNestedPart == (sign != nil))
  }

  @Test(
    "looks beside a nested list for what is called like it",
    arguments: [
      (#""labels":[1],"labels_count":9"#, "labels_count"),
      (#""labels":[1],"labelsCount":9"#, "labelsCount"),
      (#""labels":[1],"label_count":9"#, "label_count"),
      (#""labels":[1],"num_labels":9"#, "num_labels"),
      (#""labels":[1],"total_labels":9"#, "total_labels"),
      (#""labels":[],"labels_total":1"#, "labels_total"),
      (#""labels":[1],"has_more_labels":true"#, "has_more_labels"),
      (#""labels":[1],"labels_truncated":true"#, "labels_truncated"),
      (#""labels":[1],"labels_next":"/1/labels?page=2""#, "labels_next"),
      (#""labels":[1],"is_labelled_truncated":true"#, "is_labelled_truncated"),
      (#""labels":[1],"labelsOmitted":true"#, "labelsOmitted"),
      (#""labels":[1],"labels@odata.nextLink":"/l?$skiptoken=x""#, #""labels@odata.nextLink""#),
      (#""labels":[1],"labels@odata.count":9"#, #""labels@odata.count""#),
      (#""labels":[1],"labels_count":1"#, nil), (#""labels":[1],"has_more_labels":false"#, nil),
      // Not expanded, another list, the next one of its kind.
      (#""labels_count":9"#, nil), (#""labels":[1],"comments_count":9"#, nil),
      (#""labels":[1],"next_label":"/labels?id=7""#, nil),
      (#""labels":[1],"labels_url":"/l?i=1""#, nil),
    ] as [(String, String?)])
  func beside(record: String, name: String?) throws {
    var stream = try FakeJob.stream(.single, size: nil)
    stream.records = try JSONPath("things")
    for list in ["labels", "items"] {
      stream.children = [try FakeJob.child("labels", at: list)]
      // A cart that counts the pieces of its items.
      let own = list == "items" ? #""items":[{"quantity":9}],"item_count":9"# : record
      let page = try FakeJob.page("{\"things\":[{\"id\":1,\(own)}]}", of: stream)
      let told = list == "items" ? nil : name.map { "things.*.\($0) part" }
      #expect(page.signs.map { "\($0.place) \($0.kind.rawValue)" } == [told].compactMap(\.self))
    }
  }

  @Test("finds a second key to go on with beside the one that the job reads")
  func secondContinue() throws {
    let token = Pager.token(parameter: "c", next: try JSONPath("continue.cmcontinue"))
    #expect(
      try FakeJob.signs(
        #"{"items":[1],"continue":{"cmcontinue":"a","excontinue":"b","continue":"-||"}}"#,
        pager: token)
        == ["continue.excontinue more", "continue.continue more"])
  }

  @Test(
    "is no news where it names the next page that the job reads, as a token or as an address",
    arguments: [
      ("t=links.next", #""links":{"next":"/x?after=bzo%3D"},"meta":{"after_cursor":"bzo="}"#, []),
      (
        "t=links.next", #""links":{"next":"/x?after=bzo"},"meta":{"after_cursor":"else"}"#,
        ["meta.after_cursor cursor"]
      ),
      ("after", #""after":"MTU4","after_url":"https://api.example/x?cursor=MTU4""#, []),
      (
        "after", #""after":"MTU4","after_url":"https://api.example/x?cursor=MTU5""#,
        ["after_url more"]
      ),
      (
        "after",
        #""after":"b","links":[{"rel":"next","href":"/x?a=1&after=b"}],"nextBatchToken":"b""#, []
      ),
      (
        "after", #""after":null,"links":[{"rel":"next","href":"/x?after=b"}]"#,
        ["links.next more", "next last"]
      ),
    ] as [(String, String, [String])])
  func again(next: String, members: String, signs: [String]) throws {
    let pager: Pager =
      next.hasPrefix("t=")
      ? .chain(NextPage(.body(try JSONPath(String(next.dropFirst(2))))))
      : .token(parameter: "c", next: try JSONPath(next))
    #expect(Set(try FakeJob.signs("{\"items\":[1],\(members)}", pager: pager)) == Set(signs))
  }

  @Test(
    "reads the head",
    arguments: [
      ("X-Total-Count", "57", "X-Total-Count length"), ("X-Next-Page", "2", "X-Next-Page more"),
      ("X-Next-Page", "", "X-Next-Page end"), ("Next-Page", "2", "Next-Page more"),
      ("X-WP-TotalPages", "4", "X-WP-TotalPages pages"), ("X-Has-More", "true", "X-Has-More more"),
      ("Content-Range", "items 0-24/40", "Content-Range length"),
      ("Content-Range", "garbage", "Content-Range unclear"),
      ("Content-Range", "bytes 0-99/154", "Content-Range length"),
      ("Link", "<https://h/2>; rel=\"next\"", "Link more"),
      ("Link", "<https://h/1>; rel=\"first\"", "Link end"),
      ("Link", "https://h/2; rel=next", "Link unclear"),
      ("Link", "<https://h/2>; rel=next, <https://h/3>; rel=next", "Link twice"),
      ("X-Pagination", #"{"TotalPages":3}"#, "X-Pagination.TotalPages pages"),
      ("X-Content-Range", "items 0-19/100", "X-Content-Range length"),
      ("Link", "</list?page=5>; rel=\"last\"", "Link pages"),
      ("Warning", "299 - the list was truncated", "Warning part"),
    ])
  func head(name: String, value: String, sign: String) throws {
    #expect(try FakeJob.signs("{\"items\":[1]}", [HeaderField(name, value)]).first == sign)
  }

  @Test("keeps away from what the head says of other things")
  func otherFields() throws {
    let fields = [
      ("Content-Length", "12"), ("Last-Modified", "now"), ("X-RateLimit-Remaining", "3"),
      ("Warning", "110 - stale"), ("Age", "3"), ("Link", "<https://h/style.css>; rel=preload"),
      ("Content-Range", "0-24/*"), ("Accept-Ranges", "items"),
    ]
    #expect(try FakeJob.signs("{\"items\":[1]}", fields.map { HeaderField($0.0, $0.1) }) == [])
  }

  @Test("a Link that cannot be read is no missing next page for a list that is paged by it")
  func unreadableLink() throws {
    let fields = [HeaderField("Link", "https://h/2; rel=\"next\"")]
    #expect(try FakeJob.signs("{\"items\":[1]}", fields, pager: .link) == ["Link more"])
  }

  @Test(
    "reads the status",
    arguments: [
      (206, "status part"), (226, "status part"), (205, "status unclear"), (207, "status part"),
    ])
  func status(status: Int, sign: String) throws {
    #expect(try FakeJob.signs("{\"items\":[1]}", status: status) == [sign])
  }

  @Test("a part that says how far it reaches is weighed by that")
  func part() throws {
    let range = [HeaderField("Content-Range", "items 0-24/25")]
    #expect(try FakeJob.signs("{\"items\":[1]}", range, status: 206) == ["Content-Range length"])
    let open = [HeaderField("Content-Range", "items 0-24/*")]
    #expect(try FakeJob.signs("{\"items\":[1]}", open, status: 206) == ["Content-Range unclear"])
    // All bytes of a body are not 154 records.
    for status in [200, 206] {
      let whole = [HeaderField("Content-Range", "bytes 0-153/154")]
      #expect(try FakeJob.signs("{\"items\":[1]}", whole, status: status) == [])
    }
  }

  @Test("names a member that stands there twice")
  func twice() throws {
    #expect(try FakeJob.signs(#"{"items":[1],"items":[2]}"#) == ["items twice"])
    #expect(
      try FakeJob.signs(#"{"items":[1],"total":1,"total":9}"#) == ["total length", "total twice"])
    let token = try FakeJob.token()
    #expect(
      try FakeJob.signs(#"{"items":[1],"next":"a","next":null}"#, pager: token) == ["next twice"])
  }

  @Test("knows a page that is not the first, of a list by token only where that is certain")
  func before() throws {
    for (member, isFlag) in [
      (#""previous":"http://h/0""#, false), (#""first":false"#, true), (#""hasPrev":true"#, true),
      (#""offset":10"#, false), (#""links":[{"rel":"prev","href":"http://h/0"}]"#, false),
    ] {
      let signs = try FakeJob.signs("{\"items\":[1],\(member)}", pager: FakeJob.number)
      #expect(signs.count == 1 && signs[0].hasSuffix(" before"), "\(signs)")
      let inChain = try FakeJob.signs("{\"items\":[1],\(member)}", pager: FakeJob.token())
      #expect(inChain == (isFlag ? signs : []))
    }
  }

  @Test(
    "says nothing of what the job knows",
    arguments: [
      [["paging"], ["header:x-total-count"], ["error"]],
      [["paging", "*"], ["header:x-total-count"], ["error"]],
      [["paging", "cursors", "after"], ["paging", "next"], ["header:x-total-count"], ["error"]],
    ])
  func known(unread: [[String]]) throws {
    let body = #"{"items":[1],"paging":{"cursors":{"after":"a"},"next":"n"},"error":"x"}"#
    let signs = try FakeJob.signs(body, [HeaderField("X-Total-Count", "9")]) { $0.unread = unread }
    #expect(signs == [])
  }

  @Test("shows no credential")
  func secret() throws {
    let stream = try FakeJob.stream(.single)
    var job = try FakeJob.job(stream)
    job.authentication = Authentication(place: .query(name: "api_key"), secret: "k")
    let answer = try PageReaderTests.answer(
      #"{"items":[1],"next":"https://api.example/v1/things?api_key=hushhush&page=2"}"#)
    let page = try PageReaderTests.page(
      PageReader(job: job, stream: stream).read(answer, AnswerBody(answer)))
    #expect(page.signs.map(\.value) == ["https://api.example/v1/things?page=2"])
  }
}
