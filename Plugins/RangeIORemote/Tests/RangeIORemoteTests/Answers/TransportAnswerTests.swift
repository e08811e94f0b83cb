import RangeIO
import Testing

@testable import RangeIORemote

/// Answers 44 to 53: what happens below HTTP, as far as a machine can see it.
struct TransportAnswerTests {
  @Test(arguments: [TransportFault.reset, .goAway, .streamReset, .closedWithoutNotify])
  func `answers 44, 47, 48: a connection that ends before the head is replaced at once`(_ fault: TransportFault) throws
  {
    var run = try ReadRun()
    for _ in 0..<8 {
      run.failed(fault)
      #expect(run.request?.range == 0..<1000)
    }
    run.failed(fault)
    #expect(run.failure?.isTransient == true && run.requests.count == 9)
    var description = try DescriptionRun()
    for _ in 0..<8 {
      description.failed(fault)
      #expect(description.request?.method == .head)
    }
    description.failed(fault)
    #expect(description.failure?.isTransient == true)
  }

  @Test(arguments: [TransportFault.reset, .goAway, .streamReset, .tls("bad record")])
  func `answers 45, 47, 48: a body that is cut goes on from where it stopped, same version only`(
    _ fault: TransportFault
  ) throws {
    var run = try ReadRun(5000..<6000)
    run.answer(.part(5000..<6000, of: 10_000))
    run.ended(.fault(fault), 123)
    #expect(run.request?.range == 5123..<6000 && run.request?.ifMatch == "\"a\"")
    run.answer(.part(5123..<6000, of: 10_000, tag: "\"b\""))
    #expect(run.action == .describe)
    run.described(.tagged("\"b\"", size: 10_000))
    #expect(run.failure?.reason == .changed)
  }

  @Test func `answer 45: cuts without progress are counted, and progress forgives them`() throws {
    var run = try ReadRun(0..<1000)
    for number in 0..<9 {
      run.answer(.part(number..<1000, of: 10_000))
      run.ended(.fault(.reset), 1)
    }
    #expect(run.failure?.reason == .tooManyCuts && run.failure?.isTransient == true && run.requests.count == 9)
    run = try ReadRun(0..<1_000_000, of: .tagged("\"a\"", size: 1_000_000))
    for number in 0..<50 {
      run.answer(.part(number * 20_000..<1_000_000, of: 1_000_000))
      run.ended(.fault(.reset), 20_000)
    }
    #expect(run.action == .finish)
  }

  @Test(arguments: [0, 8, 9])
  func `answer 45: after progress as many cuts are borne as before, those without a byte too`(cuts: Int) throws {
    var run = try ReadRun(0..<1_000_000, of: .tagged("\"a\"", size: 1_000_000))
    for _ in 0..<8 {
      run.answer(.part(0..<1_000_000, of: 1_000_000))
      run.ended(.fault(.reset), 0)
    }
    // Progress, to the byte.
    run.answer(.part(0..<1_000_000, of: 1_000_000))
    run.ended(.fault(.reset), TransferRules.progress)
    let taken = TransferRules.progress
    for _ in 0..<cuts {
      run.answer(.part(taken..<1_000_000, of: 1_000_000))
      run.ended(.fault(.reset), 0)
    }
    #expect(run.failure?.reason == (cuts > 8 ? .tooManyCuts : nil))
    #expect(cuts > 8 || run.request?.range == taken..<1_000_000)
  }

  @Test(arguments: [false, true], [false, true])
  func `answer 45: what is a byte short of progress forgives no cut`(isAfterProgress: Bool, isEnough: Bool) throws {
    var run = try ReadRun(0..<1_000_000, of: .tagged("\"a\"", size: 1_000_000))
    var taken = 0
    func cut(_ count: Int) {
      run.answer(.part(taken..<1_000_000, of: 1_000_000))
      run.ended(.fault(.reset), count)
      taken += count
    }
    if isAfterProgress { cut(TransferRules.progress) }
    for _ in 0..<8 { cut(0) }
    cut(TransferRules.progress - (isEnough ? 0 : 1))
    #expect(run.failure?.reason == (isEnough ? nil : .tooManyCuts))
  }

  @Test func `answer 45: a reset after the last byte costs nothing`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(.reset), 1000)
    #expect(run.action == .finish)
  }

  @Test func `answer 46: an end without close_notify fails where only it ends the body`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\""])
    run.ended(.fault(.closedWithoutNotify), 500)
    #expect(run.failure?.reason == .truncated && run.failure?.text.contains("close_notify") == true)
    // Where the length is known it is a cut like any other.
    run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(.closedWithoutNotify), 500)
    #expect(run.request?.range == 500..<1000)
  }

  @Test(arguments: [TransportFault.tooSlow, .stalled])
  func `answers 49, 50: a body that drips or stalls is asked for once more, then fails`(_ fault: TransportFault) throws
  {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(fault), 10)
    #expect(run.request?.range == 10..<1000)
    run.answer(.part(10..<1000, of: 10_000))
    run.ended(.fault(fault), 10)
    #expect(run.failure == fault.failure && run.failure?.isTransient == true)
  }

  @Test func `a body that stalls and gets on is no failure, however often; one that is too slow is`() throws {
    for fault in [TransportFault.stalled, .tooSlow] {
      var run = try ReadRun(0..<1_000_000, of: .tagged("\"a\"", size: 1_000_000))
      var taken = 0
      for _ in 0..<10 where run.failure == nil {
        run.answer(.part(taken..<1_000_000, of: 1_000_000))
        run.ended(.fault(fault), TransferRules.progress)
        taken += TransferRules.progress
      }
      #expect((run.failure != nil) == (fault == .tooSlow))
    }
  }

  @Test func `answer 49: the deadline of the read ends it`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(.deadline), 10)
    #expect(run.failure?.reason == .deadline && run.failure?.code == .timedOut && run.failure?.isTransient == false)
    run = try ReadRun()
    run.failed(.deadline)
    #expect(run.failure?.reason == .deadline)
  }

  @Test func `answer 50: no head in time fails`() throws {
    var run = try ReadRun()
    run.failed(.headTimeout)
    #expect(run.failure?.reason == .headTimeout && run.failure?.isTransient == true)
  }

  @Test func `answer 51: bytes beyond what the head promised are not believed`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.overran, 1000)
    #expect(run.failure?.reason == .lengthContradicted)
  }

  @Test func `answer 51: bytes left over on a connection are passed over, but not for ever`() throws {
    var run = try ReadRun()
    for _ in 0..<3 { run.failed(.malformed("x")) }
    #expect(run.failure == nil && run.requests.count == 4)
    run.failed(.malformed("x"))
    #expect(run.failure?.reason == .malformed)
    var description = try DescriptionRun()
    description.failed(.malformed("x"))
    #expect(description.failure == nil)
  }

  @Test func `answer 52: giant headers fail`() throws {
    var run = try ReadRun()
    run.failed(.giantHeaders)
    #expect(run.failure?.reason == .giantHeaders)
    var fields = HeaderFields()
    for number in 0..<256 { try fields.append("X-\(number)", "1") }
    #expect(throws: Failure.self) { try fields.append("X", "1") }
    fields = HeaderFields()
    #expect(throws: Failure.self) { try fields.append("X", String(repeating: "a", count: 65_536)) }
    #expect(fields.count == 0)
  }

  @Test func `answer 53: right heads over shifted bytes are taken: only a digest can tell`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.complete, 1000)
    #expect(run.action == .finish)
  }

  @Test(arguments: [
    TransportFault.unresolved, .refused, .connectTimeout, .tls("expired"), .headTimeout, .other("y"),
  ]) func `what another connection cannot mend fails at once`(_ fault: TransportFault) throws {
    var run = try ReadRun()
    run.failed(fault)
    #expect(run.failure == fault.failure && run.requests.count == 1)
    var description = try DescriptionRun(opening: .probe)
    description.failed(fault)
    #expect(description.failure == fault.failure)
  }
}
