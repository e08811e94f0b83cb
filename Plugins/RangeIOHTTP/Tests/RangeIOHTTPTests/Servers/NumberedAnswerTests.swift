#if HTTP

  import RangeIOHTTPTestServer
  import Testing

  /// That the server can give each of the 53 answers, seen as values.
  struct NumberedAnswerTests {
    private static let object = ServedObject(count: 20_000, version: 2)
    private static let previous = ServedObject(count: 20_000)

    /// A request, and what an answer to it depends on.
    private func context(
      _ method: String, _ object: ServedObject = object, http2: Bool = false, fields: [ServedField] = [],
      on number: Int = 0
    ) -> AnswerContext {
      var request = ServerRequest(method: method, target: "/folder/object", fields: fields)
      request.isHTTP2 = http2
      request.numberOnConnection = number
      return AnswerContext(
        request: request, object: object, previous: Self.previous, origin: "http://127.0.0.1:1",
        elsewhere: "http://127.0.0.1:2", otherScheme: "https://127.0.0.1:3", date: 1_800_000_000,
        memory: ServerMemory())
    }

    /// Requests of all kinds.
    private var contexts: [AnswerContext] {
      let range = [ServedField("Range", "bytes=0-999")]
      let matched = range + [ServedField("If-Match", "\"v2\"")]
      return [
        context("GET", fields: matched), context("HEAD"), context("GET", fields: range, on: 1),
        context("GET", http2: true, fields: range), context("GET", ServedObject([]), fields: range),
        context("HEAD", ServedObject([])),
      ]
    }

    @Test func `there are 53, numbered from 1`() {
      #expect(NumberedAnswer.allCases.map(\.number) == Array(1...53))
    }

    @Test(arguments: NumberedAnswer.allCases)
    func `each form of each answer differs from an honest one`(_ lie: NumberedAnswer) {
      for variant in 0..<lie.variants {
        let different = contexts.contains { context in
          var context = context
          context.variant = variant
          guard let answer = lie.answer(context) else { return false }
          return !answer.isSame(as: context.honest)
        }
        #expect(different, "\(lie), form \(variant)")
      }
    }

    @Test func `answers about ranges do not apply to HEAD, and those about HEAD not to ranges`() {
      #expect(NumberedAnswer.shorterPart.answer(context("HEAD")) == nil)
      #expect(NumberedAnswer.forbiddenHead.answer(contexts[0]) == nil)
      #expect(NumberedAnswer.headWithoutLength.answer(contexts[0]) == nil)
      #expect(NumberedAnswer.resetOfPooled.answer(contexts[0]) == nil)
    }

    @Test func `a location that was refused is not given again`() throws {
      var first = contexts[0]
      let memory = first.memory
      for status in [403, 200, 410, 200] {
        let answer = try #require(NumberedAnswer.refusedAfterRedirect.answer(first))
        let location = try #require(answer.fields["Location"])
        #expect(answer.status == 307)
        var request = first.request
        request.target = String(location.dropFirst(first.origin.count))
        let honest = ScriptedAnswer(200)
        var second = first
        second.request = request
        second.honest = honest
        second.memory = memory
        let script = ServerScript.always(.refusedAfterRedirect)
        #expect(script.answer(second).status == status, "\(location)")
        first.memory = memory
      }
    }

    @Test func `shifted bytes stand under right headers`() throws {
      let honest = contexts[0].honest
      let shifted = try #require(NumberedAnswer.shiftedBytes.answer(contexts[0]))
      #expect(shifted.fields == honest.fields && shifted.body.count == honest.body.count)
      #expect(Array(shifted.body) == Array(Self.object.bytes[1..<1001]))
    }

    @Test func `a script tells a lie as often as it is told to`() {
      let script = ServerScript.always(.partWithoutContentRange, times: 2, skipping: 1)
      let context = contexts[0]
      let hasRange = (0..<5).map { _ in script.answer(context).fields["Content-Range"] != nil }
      #expect(hasRange == [true, false, false, true, true])
    }

    @Test func `a seed gives each answer at its rate`() {
      let lies = [NumberedAnswer.serverFailure, .captivePortal].map { lie in OddAnswer("\(lie)") { lie.answer($0) } }
      let script = ServerScript.odd(1, rate: 0.01, lies)
      var counts: [Int: Int] = [:]
      var context = contexts[0]
      for number in 0..<10_000 {
        context.request.number = number
        counts[script.answer(context).status, default: 0] += 1
      }
      let failures = [408, 500, 502, 504].reduce(0) { $0 + counts[$1, default: 0] }
      #expect((70...130).contains(failures) && (70...130).contains(counts[200, default: 0]))
      #expect(failures + counts[200, default: 0] + counts[206, default: 0] == 10_000)
    }
  }

  extension ScriptedAnswer {
    /// `true` if both look the same on the wire.
    fileprivate func isSame(as other: ScriptedAnswer) -> Bool {
      status == other.status && fields == other.fields && body == other.body && framing == other.framing
        && trailing == other.trailing && interruptions.isEmpty && ending == other.ending
        && isBodyless == other.isBodyless
    }
  }

#endif
