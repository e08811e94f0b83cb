import RangeIO
import Testing

@testable import RangeIORemote

/// Answers 25 to 29: the tags and dates by which versions are told apart.
struct VersionAnswerTests {
  @Test func `answer 25: without a tag date and size tell versions apart, or only the size`() throws {
    let dated = try #require(try described(["Content-Length": "10000", "Last-Modified": oldDate]))
    #expect(dated.version.identifier == HTTPDate(oldDate).map { .lastModified($0) })
    #expect(dated.version.validator != nil && dated.version.persistentForm == nil)
    var run = try ReadRun(of: dated.version)
    #expect(run.request?.ifMatch == nil)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"])
    #expect(run.action == .describe)
    run = try ReadRun(of: dated.version)
    run.answer(206, ["Content-Range": "bytes 0-999/10000"])
    #expect(run.failure?.reason == .validatorMissing)
    run = try ReadRun(of: dated.version)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "Last-Modified": oldDate])
    #expect(run.action == .receive(1000, rest: 0))
    let bare = try #require(try described(["Content-Length": "10000"]))
    #expect(bare.version.identifier == .unknown && bare.version.validator == nil && bare.isSettled)
    run = try ReadRun(of: bare.version)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"new\""])
    #expect(run.action == .receive(1000, rest: 0))
    run = try ReadRun(of: bare.version)
    run.answer(206, ["Content-Range": "bytes 0-999/10001"])
    run.described(ObjectVersion(.unknown, size: 10_001))
    #expect(run.failure?.reason == .changed)
  }

  @Test func `answer 25: an answer without the tag of the description fails`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000, tag: nil))
    #expect(run.failure?.reason == .validatorMissing)
  }

  @Test func `answer 26: a weak tag is compared with size and date, never sent, never stored`() throws {
    let weak = try #require(
      try described(["Content-Length": "10000", "ETag": "W/\"a\"", "Last-Modified": oldDate]))
    #expect(weak.version.persistentForm == nil && weak.version.validator != nil)
    var run = try ReadRun(of: weak.version)
    #expect(run.request?.ifMatch == nil && run.request?.fields["If-Match"] == nil)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "W/\"a\"", "Last-Modified": oldDate])
    #expect(run.action == .receive(1000, rest: 0))
    for fields: KeyValuePairs<String, String> in [
      ["Content-Range": "bytes 0-999/10000", "ETag": "W/\"b\"", "Last-Modified": oldDate],
      ["Content-Range": "bytes 0-999/10000", "ETag": "W/\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"],
      ["Content-Range": "bytes 0-999/10001", "ETag": "W/\"a\"", "Last-Modified": oldDate],
    ] {
      run = try ReadRun(of: weak.version)
      run.answer(206, fields)
      #expect(run.action == .describe)
    }
  }

  @Test func `answer 26: a weak tag in place of the strong one is not that version`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000, tag: "W/\"a\""))
    #expect(run.action == .describe)
  }

  @Test func `answer 27: tags that alternate fail and say what to do`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000, tag: "\"other\""))
    #expect(run.action == .describe)
    run.described()
    #expect(run.request?.passesCaches == true)
    run.answer(.part(0..<1000, of: 10_000, tag: "\"other\""))
    #expect(run.failure?.reason == .staleAnswer && run.failure?.isTransient == true)
    #expect(run.failure?.text.contains("judge versions by time") == true)
  }

  @Test func `answer 27: on request versions are judged by date and size, and stored`() throws {
    var rules = TransferRules()
    rules.judgesByTime = true
    let found = try #require(
      try described(["Content-Length": "10000", "ETag": "\"a\"", "Last-Modified": oldDate], rules: rules))
    #expect(
      found.version.identifier == HTTPDate(oldDate).map { .lastModified($0) } && found.version.persistentForm != nil)
    var run = try ReadRun(of: found.version, rules: rules)
    #expect(run.request?.ifMatch == nil)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"b\"", "Last-Modified": oldDate])
    #expect(run.action == .receive(1000, rest: 0))
  }

  @Test func `answer 28: unquoted tags are compared but not sent, and suffixes belong to the tag`() throws {
    var run = try ReadRun(of: .tagged("abc", size: 10_000))
    #expect(run.request?.ifMatch == nil)
    run.answer(.part(0..<1000, of: 10_000, tag: "abc"))
    #expect(run.action == .receive(1000, rest: 0))
    run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000, tag: "\"a-gzip\""))
    #expect(run.action == .describe)
    run.described(.tagged("\"a-gzip\"", size: 10_000))
    #expect(run.failure?.reason == .changed)
  }

  @Test func `answer 29: a date younger than two seconds is not settled`() throws {
    var rules = TransferRules()
    rules.judgesByTime = true
    for (date, isSettled) in [(37, false), (38, false), (39, true), (36, false)] {
      let found = try #require(
        try described(
          ["Content-Length": "1", "Last-Modified": oldDate, "Date": "Sun, 06 Nov 1994 08:49:\(date) GMT"], rules: rules)
      )
      #expect(found.isSettled == isSettled && (found.version.persistentForm != nil) == isSettled)
    }
    // A number of the version settles it only where versions are told apart by it.
    for pinsVersionIDs in [false, true] {
      rules.versionField = pinsVersionIDs ? "x-amz-version-id" : nil
      let fields: KeyValuePairs = [
        "Content-Length": "1", "Last-Modified": oldDate, "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
        "x-amz-version-id": "7",
      ]
      let numbered = try #require(try described(fields, rules: rules))
      #expect(numbered.isSettled == pinsVersionIDs && (numbered.version.persistentForm != nil) == pinsVersionIDs)
    }
    let unclocked = try described([
      "Content-Length": "1", "Last-Modified": HTTPDate(secondsSince1970: testNow - 1).text,
    ])
    #expect(unclocked?.isSettled == false)
  }

  @Test func `answer 29: a date that lies ahead does not keep a strong tag from being settled`() throws {
    var rules = TransferRules()
    for (ahead, isSettled) in [(1, false), (60, false), (61, true), (300_000_000, true)] {
      let date = HTTPDate(secondsSince1970: testNow + ahead).text
      for clock in [[("Date", HTTPDate(secondsSince1970: testNow).text)], []] {
        func description(_ tag: String?) throws -> ObjectDescription? {
          var fields = HeaderFields(["Content-Length": "10000", "Last-Modified": date])
          fields.set("ETag", tag)
          for (name, value) in clock { fields.set(name, value) }
          var run = try DescriptionRun(rules: rules)
          run.answer(ResponseHead(status: 200, fields: fields))
          return run.description
        }
        #expect(try description("\"a\"")?.isSettled == isSettled, "\(ahead)")
        // Nothing but the date tells versions apart: it is compared, and not trusted.
        #expect(try description("W/\"a\"")?.isSettled == false && description(nil)?.isSettled == false)
        rules.judgesByTime.toggle()
        #expect(try description(nil)?.version.persistentForm == nil)
        rules.judgesByTime.toggle()
      }
    }
  }
}
