#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Answers 25 to 38: header fields.
  struct HeaderAnswerTests {
    @Test func `answer 25: without a tag the date tells, and a tag that is missing later fails`() async throws {
      let dated = try await Liar().readAll(.always(.noTag))
      expectRight(dated)
      #expect(dated.description?.validator != nil)
      let bare = try await Liar().readAll(.always(.noTag, variant: 1))
      expectRight(bare)
      #expect(bare.description?.validator == nil)
      expectFailure(try await Liar().read(.always(.noTag)), .invalidResponse, "neither the tag nor the date")
    }

    @Test func `answer 26: a weak tag is compared, never sent, and not kept on disk`() async throws {
      var liar = Liar()
      liar.object.tag = .weak("v1")
      let outcome = try await liar.read()
      expectRight(outcome)
      #expect(outcome.requests.allSatisfy { $0["If-Match"] == nil })
      #expect(outcome.description?.validator?.persistentForm == nil)
      let changed = try await liar.read { server in
        var other = liar.object
        other.tag = .weak("v2")
        server.objects.put(other, at: "/folder/object")
      }
      expectFailure(changed, .sourceChanged, "since it was opened")
    }

    @Test func `answer 27: tags that differ by backend never mix, and do not count if time is to tell`() async throws {
      let doubtful = try await Liar().readAll(.always(.alternatingTags))
      #expect(doubtful.bytes == nil || doubtful.isRight)
      var liar = Liar()
      liar.source.judgesByTime = true
      expectRight(try await liar.readAll(.always(.alternatingTags)))
    }

    @Test(arguments: [0, 1])
    func `answer 28: unquoted tags and those of an encoding are read`(_ form: Int) async throws {
      expectRight(try await Liar().readAll(.always(.unquotedTag, variant: form)))
    }

    @Test func `answer 29: a version younger than two seconds is not settled`() async throws {
      let young = try await Liar().readAll(.always(.youngLastModified))
      #expect(young.description?.traits.isSettled == false)
      #expect(try await Liar().read().description?.traits.isSettled == true)
    }

    @Test func `answer 30: an encoded body fails`() async throws {
      expectFailure(try await Liar().read(.always(.contentEncoding)), .invalidResponse, "Content-Encoding")
    }

    @Test func `answer 31: the length of an encoded form in HEAD is not believed`() async throws {
      let outcome = try await Liar().readAll(.always(.encodedLengthOfHead))
      expectRight(outcome)
      #expect(outcome.description?.byteCount == 200_000)
    }

    @Test func `answer 32: a HEAD without a length is mended by GET`() async throws {
      let outcome = try await Liar().readAll(.always(.headWithoutLength))
      expectRight(outcome)
      #expect(outcome.description?.byteCount == 200_000)
    }

    @Test func `answer 33: a 206 in chunks is right`() async throws {
      expectRight(try await Liar().read(.always(.chunkedPart)))
    }

    @Test(arguments: [0, 1, 2])
    func `answer 34: lengths that contradict each other fail`(_ form: Int) async throws {
      let outcome = try await Liar().read(.always(.wrongLengths, variant: form))
      #expect(outcome.bytes == nil)
      #expect(outcome.error?.code == .invalidResponse, "\(String(describing: outcome.error))")
      #expect(outcome.error?.message.contains("length") == true || outcome.error?.message.contains("Length") == true)
    }

    @Test(arguments: [0, 1])
    func `answer 35: ranges are tried whatever Accept-Ranges says`(_ form: Int) async throws {
      expectRight(try await Liar().readAll(.always(.noAcceptRanges, variant: form)))
    }

    @Test(arguments: [0, 1, 2])
    func `answer 36: where If-Match is refused, versions are compared here`(_ form: Int) async throws {
      expectRight(try await Liar().read(.always(.refusedConditions, variant: form)))
      let changed = try await Liar().read(.always(.refusedConditions, variant: form)) { server in
        server.objects.put(ServedObject(count: 200_000, version: 2), at: "/folder/object")
      }
      expectFailure(changed, .sourceChanged, "since it was opened")
    }

    @Test func `answer 37: a stale answer of a cache is asked for once more, past caches`() async throws {
      let liar = Liar()
      liar.server.objects.put(ServedObject(count: 200_000, version: 0), at: "/folder/object")
      let outcome = try await liar.read(.always(.staleCache))
      expectRight(outcome)
      #expect(outcome.requests.last?["Cache-Control"] == "no-cache")
    }

    @Test func `answer 38: a Vary that changes means nothing`() async throws {
      expectRight(try await Liar().readAll(.always(.flippingVary)))
    }
  }

#endif
