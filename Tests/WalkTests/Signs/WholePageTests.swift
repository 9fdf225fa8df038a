import Base
import Testing
import Walk

/// First pages of real APIs (R: seven records), read as a list declared to have no pages.
@Suite("A list that is said to have no pages")
struct WholePageTests {
  private static func certificate(
    _ line: String, _ fields: [HeaderField] = [], query: String = "?sort=name",
    change: (inout Base.Stream) -> Void = { _ in }
  ) throws -> Certificate {
    let parts = line.split(separator: "|", maxSplits: 2).map(String.init)
    let records = (1...7).map { #"{"id":\#($0),"next":"x","more":true}"# }.joined(separator: ",")
    var stream = try FakeJob.stream(.single, isOnePage: true)
    stream.records = try JSONPath(parts[1])
    change(&stream)
    let whole = parts[2].split(separator: ":R", omittingEmptySubsequences: false).joined(
      separator: ":[\(records)]")
    let answer = try PageReaderTests.answer(
      whole == "R" ? "[\(records)]" : whole, fields, at: "https://api.example/v1/things\(query)")
    let page = try PageReaderTests.page(FakeJob.read(answer, of: stream))
    #expect(page.records.count == 7, "\(line)")
    return try walk(stream) { _ in
      .page(ScriptPage(1...7).with(page.signs))
    }.certificate
  }

  private static let whole = #"""
    pipedrive 2|data|{"success":true,"data":R,"additional_data":{"next_cursor":null}}
    pipedrive 1|data|{"success":true,"data":R,"additional_data":{"pagination":{"start":0,"limit":100,"more_items_in_collection":false}}}
    slack|members|{"ok":true,"members":R,"cache_ts":1498777272,"response_metadata":{"next_cursor":""}}
    notion|results|{"object":"list","results":R,"next_cursor":null,"has_more":false,"type":"page_or_database","page_or_database":{},"request_id":"9b7f-11"}
    hubspot|results|{"results":R}
    zendesk|tickets|{"tickets":R,"meta":{"has_more":false,"after_cursor":null,"before_cursor":"xx"},"links":{"prev":null,"next":null}}
    zendesk by page|tickets|{"tickets":R,"next_page":null,"previous_page":null,"count":7}
    jira cloud|issues|{"issues":R,"isLast":true}
    jira agile|values|{"values":R,"startAt":0,"maxResults":50,"isLast":true}
    jira|issues|{"expand":"names,schema","issues":R,"startAt":0,"maxResults":50,"total":7}
    confluence|results|{"results":R,"start":0,"limit":25,"size":7,"_links":{"base":"https://x.example.com/wiki","context":"/wiki","self":"https://x.example.com/wiki/rest/api/x"}}
    salesforce|records|{"totalSize":7,"done":true,"records":R}
    xero|Invoices|{"Id":"e997d6d7-6dad-4458-beb8-d9c1bf7f2edf","Status":"OK","ProviderName":"Demo","DateTimeUTC":"/Date(1551399321121)/","pagination":{"page":1,"pageSize":100,"pageCount":1,"itemCount":7},"Invoices":R}
    airtable|records|{"records":R}
    dynamo|Items|{"Items":R,"Count":7,"ScannedCount":7,"ConsumedCapacity":{"TableName":"Music","CapacityUnits":1.0}}
    iam|Users|{"Users":R,"IsTruncated":false,"ResponseMetadata":{"RequestId":"7a62c49f-347e-4fc4-9331-6e8eEXAMPLE"}}
    google|items|{"kind":"calendar#events","etag":"\"p33k9hv\"","nextSyncToken":"CPDAlvWDx70CEPDAlvWDx70CGAU","summary":"Team","updated":"2026-01-31T00:00:00Z","timeZone":"UTC","accessRole":"reader","defaultReminders":[],"items":R}
    graph|value|{"@odata.context":"https://graph.example.com/v1.0/$metadata#users","@odata.count":7,"value":R}
    graph delta|value|{"@odata.context":"https://graph.example.com/v1.0/$metadata#users","value":R}
    odata 2|d.results|{"d":{"results":R,"__count":"7"}}
    asana|data|{"data":R,"next_page":null}
    intercom|data|{"type":"list","data":R,"total_count":7,"pages":{"type":"pages","page":1,"per_page":50,"total_pages":1,"next":null}}
    clickup|tasks|{"tasks":R,"last_page":true}
    square|objects|{"objects":R,"latest_time":"2026-01-31T00:00:00Z"}
    zoom|users|{"page_count":1,"page_number":1,"page_size":30,"total_records":7,"next_page_token":"","users":R}
    twitter|data|{"data":R,"includes":{"users":[{"id":"1"}]},"meta":{"result_count":7,"newest_id":"17","oldest_id":"11"}}
    tiktok|data.videos|{"data":{"videos":R,"cursor":0,"has_more":false},"error":{"code":"ok","message":"","log_id":"2026"}}
    facebook|data|{"data":R,"paging":{"cursors":{"before":"MAZ"}}}
    okta|.|R
    stripe|data|{"object":"list","data":R,"has_more":false,"url":"/v1/charges"}
    lever|data|{"data":R,"hasNext":false}
    chargebee|list|{"list":R}
    harvest|time_entries|{"time_entries":R,"per_page":2000,"total_pages":1,"total_entries":7,"next_page":null,"previous_page":null,"page":1,"links":{"first":"https://api.example/v1/things?page=1&per_page=2000","next":null,"previous":null,"last":"https://api.example/v1/things?page=1&per_page=2000"}}
    relay|data.issues.nodes|{"data":{"issues":{"totalCount":7,"nodes":R,"pageInfo":{"hasNextPage":false,"endCursor":"Y3"}}},"extensions":{"cost":{"requestedQueryCost":1,"throttleStatus":{"maximumAvailable":1000,"currentlyAvailable":999,"restoreRate":50}}}}
    monday|data.boards.0.items_page.items|{"data":{"boards":[{"id":"1","items_page":{"cursor":null,"items":R}}]},"account_id":12}
    paypal|transactions|{"transactions":R,"total_items":7,"total_pages":1,"page":1,"links":[{"href":"https://api.example/v1/things?page=1","rel":"self"}]}
    front|_results|{"_pagination":{"next":null},"_links":{"self":"https://api.example/v1/things"},"_results":R}
    pagerduty|incidents|{"incidents":R,"limit":25,"offset":0,"more":false,"total":null}
    datadog|data|{"data":R,"meta":{"elapsed":132,"request_id":"MWlFUjVaWGZTTTZPYzM0VXp1OXU2d3xLSVpEMjZKQ0VKUTI0dEYtM3RSOFVR","status":"done"}}
    elastic|hits.hits|{"took":5,"timed_out":false,"_shards":{"total":5,"successful":5,"skipped":0,"failed":0},"hits":{"total":{"value":7,"relation":"eq"},"max_score":1.0,"hits":R}}
    zoho|data|{"data":R,"info":{"per_page":200,"count":7,"page":1,"more_records":false,"sort_by":"id"}}
    spring|content|{"content":R,"pageable":{"sort":{"sorted":false,"empty":true},"offset":0,"pageNumber":0,"pageSize":20,"paged":true},"last":true,"totalElements":7,"totalPages":1,"number":0,"size":20,"first":true,"numberOfElements":7,"empty":false}
    spring hal|_embedded.x|{"_embedded":{"x":R},"_links":{"self":{"href":"https://api.example/v1/things"}},"page":{"size":20,"totalElements":7,"totalPages":1,"number":0}}
    netsuite|items|{"count":7,"hasMore":false,"items":R,"offset":0,"totalResults":7,"links":[{"rel":"self","href":"https://api.example/v1/things"}]}
    apple|data|{"data":R,"links":{"self":"https://api.example/v1/things"},"meta":{"paging":{"total":7,"limit":70}}}
    amazon|payload.Orders|{"payload":{"Orders":R,"CreatedBefore":"2026-01-31T00:00:00Z"}}
    etsy|results|{"count":7,"results":R,"params":{"limit":25,"offset":0},"type":"Listing"}
    gong|calls|{"requestId":"4al018gzaztcr8nbukw","records":{"totalRecords":7,"currentPageSize":7,"currentPageNumber":0},"calls":R}
    marketo|result|{"requestId":"e42b#14272d07d78","result":R,"success":true,"moreResult":false}
    eventbrite|events|{"pagination":{"object_count":7,"page_number":1,"page_size":50,"page_count":1,"has_more_items":false},"events":R}
    plaid|added|{"added":R,"modified":[],"removed":[],"has_more":false,"request_id":"45QSn"}
    bitbucket dc|values|{"size":7,"limit":25,"isLastPage":true,"values":R,"start":0,"nextPageStart":null}
    kubernetes|items|{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10245"},"items":R}
    mailchimp|lists|{"lists":R,"total_items":7,"constraints":{"may_create":true,"max_instances":1,"current_total_instances":1},"_links":[{"rel":"self","href":"https://api.example/v1/things","method":"GET"}]}
    typeform|items|{"items":R,"page_count":1,"total_items":7}
    klaviyo|data|{"data":R,"links":{"self":"https://api.example/v1/things","next":null,"prev":null}}
    json api|data|{"jsonapi":{"version":"1.0"},"data":R,"included":[{"type":"people","id":"9"}],"links":{"self":"/v1/things?page[number]=1","first":"/v1/things?page[number]=1","last":"/v1/things?page[number]=1"},"meta":{"copyright":"me"}}
    laravel|data|{"data":R,"links":{"first":"https://api.example/v1/things?page=1","last":"https://api.example/v1/things?page=1","prev":null,"next":null},"meta":{"current_page":1,"from":1,"last_page":1,"path":"https://api.example/v1/things","per_page":15,"to":7,"total":7}}
    gorgias|data|{"data":R,"object":"list","uri":"/v1/things","meta":{"prev_cursor":null,"next_cursor":null}}
    wikimedia|query.allpages|{"batchcomplete":"","limits":{"allpages":500},"query":{"allpages":R}}
    docker hub|results|{"count":7,"next":null,"previous":null,"results":R}
    algolia|hits|{"hits":R,"nbHits":7,"page":0,"nbPages":1,"hitsPerPage":20,"exhaustiveNbHits":true,"exhaustive":{"nbHits":true,"typo":true},"query":"","params":"query=","processingTimeMS":1,"facets":{"brand":{"a":4,"b":3}}}
    solr|response.docs|{"responseHeader":{"status":0,"QTime":3,"params":{"q":"*:*","rows":"10"}},"response":{"numFound":7,"start":0,"numFoundExact":true,"docs":R},"facet_counts":{"facet_fields":{"cat":["a",4]}}}
    github search|items|{"total_count":7,"incomplete_results":false,"items":R}
    stackexchange|items|{"items":R,"has_more":false,"quota_max":300,"quota_remaining":299}
    ckan|result|{"help":"https://api.example/v1/help?name=list","success":true,"result":R}
    arcgis|features|{"objectIdFieldName":"OBJECTID","geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326,"latestWkid":4326},"fields":[],"features":R}
    open meteo|daily|{"latitude":52.5,"longitude":13.4,"generationtime_ms":0.05,"utc_offset_seconds":0,"timezone":"GMT","elevation":38.0,"daily_units":{"time":"iso8601"},"daily":R}
    exchange rates|rates|{"success":true,"timestamp":1519296206,"base":"EUR","date":"2026-01-31","time_next_update_unix":1700000000,"rates":R}
    f1|MRData.RaceTable.Races|{"MRData":{"xmlns":"","series":"f1","url":"http://api.example/f1/current.json","limit":"30","offset":"0","total":"7","RaceTable":{"season":"2026","Races":R}}}
    prices|products|{"currency":"EUR","price_range":{"min":1.5,"max":99,"total":812.4},"facets":{"size":{"count":12},"colour":{"count":9}},"products":R,"version":"2.3.1","status":"success","code":200,"rate_limit":{"limit":60,"remaining":59,"reset":1700000000}}
    user beside|repos|{"user":{"id":5,"followers":812,"total_stars":9000,"url":"https://api.example/v1/users/5?full=1","next_payment":"2026-02-01"},"repos":R,"read_more":"https://docs.example.com/?a=1"}
    departures|departures|{"departures":R,"realtimeDataUpdatedAt":1700000000,"station":{"id":"8011160","location":{"latitude":52.5}}}
    feature flags|flags|{"flags":R,"_links":{"self":{"href":"/v1/things?env=test","type":"application/json"}},"totalCount":7,"features":{"beta":true,"cursors":{"enabled":true}}}
    """#.split(separator: "\n").map(String.init)

  @Test("is complete where nothing in its answer says that there is more", arguments: whole)
  func isWhole(line: String) throws {
    let limits = [
      ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "59"), ("X-Request-Id", "7f3c-11"),
      ("ETag", "\"33a64df5\""), ("X-Runtime", "0.05"), ("X-Next-Reset", "1700000000"),
      ("Retry-After", "0"), ("X-Continue-Trace", "a1"), ("X-Cursor-Name", ""),
    ]
    let certificate = try Self.certificate(line, limits.map { HeaderField($0.0, $0.1) })
    #expect(certificate.verdict == .complete, "\(line): \(certificate.why)")
  }

  private static let cut = #"""
    pipedrive 2|data|{"success":true,"data":R,"additional_data":{"next_cursor":"eyJpIjoxMDB9"}}
    pipedrive 1|data|{"success":true,"data":R,"additional_data":{"pagination":{"start":0,"limit":7,"more_items_in_collection":true,"next_start":7}}}
    airtable|records|{"records":R,"offset":"itrX/recY"}
    monday|data.boards.0.items_page.items|{"data":{"boards":[{"items_page":{"cursor":"MSw5","items":R}}]}}
    zoho|data|{"data":R,"info":{"per_page":7,"count":7,"page":1,"more_records":true}}
    gong|calls|{"requestId":"1","records":{"totalRecords":250,"currentPageSize":7,"currentPageNumber":0,"cursor":"eyJ"},"calls":R}
    another name|list|{"list":R,"state":{"walk":{"more_to_come":true}}}
    another name|list|{"list":R,"trail":{"continuationHandle":"x1"}}
    another name|list|{"list":R,"envelope":{"nextBatchToken":"x1"}}
    another name|list|{"list":R,"position":{"resume_cursor":"x1"}}
    an address|tickets|{"tickets":R,"after_url":"https://api.example/v1/things?cursor=MTU4"}
    an address|tickets|{"tickets":R,"walk":{"onward":"/v1/things?start_time=1700000000"}}
    an address|tickets|{"tickets":R,"walk":{"onward":"?skip=7"}}
    discourse|topic_list.topics|{"topic_list":{"per_page":30,"more_topics_url":"/v1/things.json?page=1","topics":R}}
    discourse|topic_list.topics|{"topic_list":{"can_create_topic":true,"per_page":7,"topics":R}}
    a size|data|{"data":R,"meta":{"pageSize":"7"}}
    a map|data.*|{"data":R,"limit":7}
    """#.split(separator: "\n").map(String.init)

  @Test("is not complete where its answer says so, by whatever name", arguments: cut)
  func isCut(line: String) throws {
    let certificate = try Self.certificate(line)
    #expect([.unproven, .incomplete].contains(certificate.verdict), "\(line): \(certificate.why)")
  }

  @Test(
    "is not complete where the head of its answer says so",
    arguments: [
      ("x-ms-continuationtoken", "abc"), ("x-ms-continuation", "{\"token\":\"x\"}"),
      ("X-Acme-Next-Page-Token", "a"),
    ])
  func head(name: String, value: String) throws {
    let certificate = try Self.certificate("azure|value|{\"value\":R}", [HeaderField(name, value)])
    #expect(certificate.verdict == .incomplete, "\(certificate.why)")
  }

  @Test("is not complete by its author's word where it holds as many records as were asked for")
  func asked() throws {
    for name in ["limit", "$top", "%24limit", "maxRecords", "page%5Bsize%5D"] {
      let line = "cut|value|{\"value\":R}"
      #expect(try Self.certificate(line, query: "?\(name)=7&a=b").verdict == .unproven, "\(name)")
      #expect(try Self.certificate(line, query: "?\(name)=8&a=b").verdict == .complete, "\(name)")
    }
  }

  private static let bodies: [(BodyTemplate, isComplete: Bool)] = [
    (member("size", .plain("7")), false), (member("size", .plain("8")), true),
    (member("size", .text(Template([.text("7")]))), false), (member("year", .plain("7")), true),
    (member("ids", .list([.plain("7")])), true),
    (member("params", .list([.object([.init("top", .plain("7"))])])), false),
    (.form([QueryItem("rows", Template([.text("7")]))]), false),
    (query("{ value(first: 7) { id } }"), false),
    (query("{ own: value(of: \"a)\", after: $c, last : 7) { id } }"), false),
    (query("query Q($c: ID, $n: Int = 7) { value(first: $n) { id } }"), false),
    (query("{ value(first: 9) { parts(first: 7) { id } } } # value(first: 7)"), true),
    (query("{ value(of: \"value(first: 7)\") { id } }"), true),
  ]

  @Test(
    "nor where its body asks for as many: by a number, or in GraphQL's text for the records' own field",
    arguments: bodies)
  func askedInBody(body: BodyTemplate, isComplete: Bool) throws {
    let certificate = try Self.certificate("cut|value|{\"value\":R}") { $0.body = body }
    #expect(certificate.verdict == (isComplete ? .complete : .unproven), "\(certificate.why)")
  }

  @Test("nor where its body asks for as many by a value of the list")
  func askedByValue() throws {
    var stream = try FakeJob.stream(.single)
    stream.body = Self.member("size", .typed(Template([.hole("n")]), .integer))
    let records = (1...7).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let answer = try PageReaderTests.answer(#"{"items":[\#(records)]}"#)
    for (size, signs) in [("7", 1), ("8", 0)] {
      let unit = Unit(stream: stream.name, values: [ParameterValue("n", size)])
      let reader = PageReader(job: try FakeJob.job(stream), stream: stream, unit: unit)
      let page = try PageReaderTests.page(reader.read(answer, AnswerBody(answer)))
      #expect(page.signs.count == signs, "\(size)")
    }
  }

  @Test("nor where as many came as the size that its job puts into the body")
  func sizeInBody() throws {
    for (size, verdict) in [(7, Verdict.unproven), (8, .complete)] {
      let certificate = try Self.certificate("cut|value|{\"value\":R}") {
        $0.body = .json(.object([]))
        $0.size = PageSize(parameter: "page.size", value: size)
        $0.size?.isInBody = true
      }
      #expect(certificate.verdict == verdict, "\(certificate.why)")
    }
  }

  private static func member(_ name: String, _ value: BodyValue) -> BodyTemplate {
    .json(.object([.init(name, value)]))
  }

  private static func query(_ text: String) -> BodyTemplate { member("query", .literal(text)) }
}
