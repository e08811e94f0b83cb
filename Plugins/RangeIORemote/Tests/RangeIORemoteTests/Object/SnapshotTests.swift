#if HTTP
  import Testing

  @testable import RangeIO
  @testable import RangeIORemote

  /// The state of an object that readers see beside its description.
  @Suite struct SnapshotTests {
    @Test(arguments: [false, true])
    func `an object of which no range can be requested is read forward unless all of it is at hand`(hasNoRanges: Bool)
      throws
    {
      let core = try ObjectCore(ObjectURL("http://127.0.0.1:1/"), RemoteConfiguration())
      let version = ObjectVersion(.versionID(ExactText("v1")), size: 100)
      let snapshot = RemoteObject.Snapshot(
        version, VersionPin.of(version, id: "object"), stated: .init(), hasNoRanges: hasNoRanges, core)
      #expect(snapshot.isReadForward == hasNoRanges)
      for (count, isAll) in [(64, false), (100, true)] {
        let body = OpeningBody(core)
        body.holds([UInt8](repeating: 0, count: count)[...], from: 0)
        snapshot.opens(with: body)
        #expect(snapshot.isReadForward == (hasNoRanges && !isAll))
        body.stop()
        #expect(snapshot.isReadForward == hasNoRanges && snapshot.atHand == nil)
      }
    }

    @Test func `that an object has settled makes it no other one for reads under way`() throws {
      let object = try RemoteObject("http://127.0.0.1:1/")
      func adopted(isSettled: Bool, acceptsRanges: Bool?) throws -> RemoteObject.Snapshot {
        let description = ObjectDescription(
          version: .tagged("\"a\"", size: 100), marks: ResponseHead(200, ["ETag": "\"a\""]).marks(TransferRules()),
          isSettled: isSettled, acceptsRanges: acceptsRanges, route: Route(origin: object.core.origin))
        return try object.snapshot(of: object.adopt(description, OpeningBody(object.core)))
      }
      let first = try adopted(isSettled: false, acceptsRanges: false)
      // HEAD does not say that there are no ranges.
      let next = try adopted(isSettled: true, acceptsRanges: nil)
      #expect(next !== first && next.pin === first.pin && next.isReadForward)
      first.pin.end()
      #expect(try adopted(isSettled: true, acceptsRanges: nil).pin !== first.pin)
    }

    @Test func `a closed object drops the bytes that came along`() async throws {
      let object = try RemoteObject("http://127.0.0.1:1/")
      let body = OpeningBody(object.core)
      body.holds([1, 2, 3], from: 0)
      object.state.withLock { $0.opening = body }
      #expect(!body.isDone)
      await object.end()
      #expect(body.isDone && object.state.withLock { $0.opening == nil })
    }
  }
#endif
