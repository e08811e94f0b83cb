#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers 1 to 13: what a server may say to a request for a range.
  struct StatusAnswerTests {
    @Test func `answer 1: the whole of a small object is taken for its beginning`() async throws {
      var liar = Liar()
      liar.object = ServedObject(count: 5_000)
      liar.range = 0..<1_000
      expectRight(try await liar.read(.always(.wholeForSmall)))
    }

    @Test func `answer 2: the whole of a large object is refused, and not received`() async throws {
      var liar = Liar()
      liar.object = ServedObject(count: 32 << 20)
      liar.server.sendBuffer = 1 << 16
      // It does not follow what was read.
      liar.range = 20 << 20..<20 << 20 + 4000
      let outcome = try await liar.read(.always(.wholeForRange))
      expectFailure(outcome, .unsupportedSource, "ignores ranges")
      #expect(outcome.bodyBytes < 16 << 20)
    }

    @Test func `answer 3: a 200 with Content-Range is judged by the range`() async throws {
      expectRight(try await Liar().read(.always(.wholeWithContentRange)))
    }

    @Test func `answer 4: a 206 without Content-Range fails`() async throws {
      expectFailure(try await Liar().read(.always(.partWithoutContentRange)), .invalidResponse, "without Content-Range")
    }

    @Test func `answer 5: a 206 with another start fails`() async throws {
      expectFailure(try await Liar().read(.always(.anotherStart)), .invalidResponse, "another range")
    }

    @Test func `answer 6: a shorter 206 is continued from where it ended`() async throws {
      let outcome = try await Liar().read(.always(.shorterPart, times: 2))
      expectRight(outcome)
      #expect(outcome.requests.count == 3 && outcome.bodyBytes == 4000)
    }

    @Test func `answer 7: a longer 206 is cut`() async throws {
      expectRight(try await Liar().read(.always(.longerPart)))
    }

    @Test func `answer 8: without a total a strong tag must tell, and no range at all fails`() async throws {
      expectRight(try await Liar().read(.always(.unknownTotal)))
      expectFailure(
        try await Liar().read(.always(.unknownTotal, variant: 1)), .invalidResponse, "Content-Range")
      var weak = Liar()
      weak.object.tag = .weak("v1")
      expectFailure(try await weak.read(.always(.unknownTotal)), .invalidResponse, "without the size")
    }

    @Test func `answer 9: another total is a changed source, unless the server takes it back`() async throws {
      var liar = Liar()
      liar.object.tag = .none
      liar.object.lastModified = nil
      let changed = try await liar.read { server in
        var longer = liar.object
        longer.bytes.append(0)
        server.objects.put(longer, at: "/folder/object")
      }
      expectFailure(changed, .sourceChanged, "since it was opened")
      expectRight(try await Liar().read(.always(.anotherTotal, times: 1)))
      let divided = ServerScript { context in
        context.request["Range"] == "bytes=0-0" ? context.honest : NumberedAnswer.anotherTotal.answer(context)!
      }
      expectFailure(try await Liar().read(divided), .invalidResponse, "another size", isTransient: true)
    }

    @Test(arguments: [0, 1])
    func `answer 10: a multipart fails, also one of one part`(_ form: Int) async throws {
      expectFailure(try await Liar().read(.always(.multipart, variant: form)), .invalidResponse, "several parts")
    }

    @Test(arguments: [(0, "204"), (1, "202"), (2, "304")])
    func `answer 11: a status that was not asked for fails`(_ form: Int, _ status: String) async throws {
      expectFailure(try await Liar().read(.always(.unaskedStatus, variant: form)), .invalidResponse, status)
    }

    @Test func `answer 12: a 416 with another size is a changed source, with the same size a refusal`() async throws {
      var liar = Liar()
      liar.range = 150_000..<160_000
      let changed = try await liar.read { server in
        server.objects.put(ServedObject(count: 1000, version: 2), at: "/folder/object")
        // A server that ignores If-Match.
        server.script = ServerScript { context in
          var request = context.request
          request.fields["If-Match"] = nil
          return .honest(request, context.object, date: context.date)
        }
      }
      expectFailure(changed, .sourceChanged, "since it was opened")
      expectRight(try await liar.read(.always(.notSatisfiableWithTotal, times: 1)))
      expectFailure(try await liar.read(.always(.notSatisfiableWithTotal)), .invalidResponse, "416")
      expectRight(try await liar.read(.always(.notSatisfiableWithTotal, variant: 1, times: 1)))
    }

    @Test func `answer 13: a bare 416 is asked about, then a refusal`() async throws {
      expectRight(try await Liar().read(.always(.notSatisfiableBare, times: 1)))
      expectFailure(try await Liar().read(.always(.notSatisfiableBare)), .invalidResponse, "416")
    }
  }

#endif
