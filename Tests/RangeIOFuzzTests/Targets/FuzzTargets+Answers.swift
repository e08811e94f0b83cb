@testable import RangeIO
@testable import RangeIORemote

/// What servers answer. An input is a script: what is asked for, then heads and ends of bodies.
extension FuzzTargets {
  private static let now = 1_795_392_000
  private static let url = "https://example.org/data.bin"

  static let answers: [FuzzTarget] = [
    FuzzTarget("descriptions", seeds: scripts, words: words) { bytes in
      var input = FuzzInput(bytes)
      let opening: Opening = [.head, .range(0..<4096), .suffix(100), .probe, .whole][input.below(5)]
      var machine = DescriptionMachine(try ObjectURL(url), rules: rules(&input), habits: Habits(), opening: opening)
      var step = machine.start(at: now)
      for _ in 0..<200 {
        switch step {
        case .send:
          guard !input.isEmpty else { return }
          step = input.below(8) == 7 ? machine.failed(fault(&input), at: now) : machine.received(head(&input), at: now)
        case .receive(let plan):
          try check(plan)
          step = machine.bodyEnded(end(&input), taken: min(plan.take, input.number()), at: now)
        case .judge: step = machine.judged(.none, at: now)
        case .mend: step = input.flag() ? machine.mended(at: now) : machine.mendFailed(at: now)
        case .open(let found, let plan):
          try check(plan)
          return try check(found)
        case .described(let found): return try check(found)
        case .fail: return
        case .describe, .finish: throw FuzzFailure(description: "a description ends in \(step)")
        }
      }
      throw FuzzFailure(description: "two hundred answers do not end a description")
    },
    FuzzTarget("reads", seeds: scripts, words: words) { bytes in
      var input = FuzzInput(bytes)
      let size = max(1, input.number())
      let lower = min(size - 1, input.number())
      let range = lower..<min(size, lower + 1 + min(size - 1 - lower, input.number()))
      let version = ObjectVersion(
        [.strongTag(EntityTag("\"a\"")!), .unknown, .lastModified(HTTPDate(secondsSince1970: 784_111_777))][
          input.below(3)],
        size: size)
      var machine = ReadMachine(
        range, of: version, route: Route(origin: try ObjectURL(url)), rules: rules(&input), habits: Habits())
      var (step, taken) = (machine.start(at: now), 0)
      while true {
        switch step {
        case .send(let plan):
          guard !input.isEmpty else { return }
          if let asked = plan.range {
            try promise(
              asked.lowerBound == range.lowerBound + taken && asked.upperBound == range.upperBound, "\(asked)")
          }
          step = input.below(8) == 7 ? machine.failed(fault(&input), at: now) : machine.received(head(&input), at: now)
        case .receive(let plan):
          try check(plan)
          let count = min(plan.take, input.number())
          taken += count
          try promise(taken <= range.count, "\(taken) of \(range.count) bytes")
          step = machine.bodyEnded(end(&input), taken: count, at: now)
        case .judge: step = machine.judged(.none, at: now)
        case .mend: step = input.flag() ? machine.mended(at: now) : machine.mendFailed(at: now)
        case .describe: step = machine.described(.failure(Failure(.malformed, "no answer")), at: now)
        case .finish: return try promise(taken == range.count, "it ends with \(taken) of \(range.count) bytes")
        case .fail: return
        case .open, .described: throw FuzzFailure(description: "a read ends in a description")
        }
      }
    },
    FuzzTarget(
      "heads",
      texts: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nX: a\r\n b\r\n\r\n",
        "HTTP/1.1 301 M\nLocation: /\u{E9}\nServer : x\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100 C\r\n\r\n",
      ], words: ["\r\n", "\n", " ", ":", "Content-Length: ", "Transfer-Encoding: chunked", "Location: "]
    ) { text in
      var (scan, step) = (HeadScan(), HeadScan.Step.more)
      let head = text.utf8.prefix { byte in
        guard step == .more else { return false }
        step = scan.take(byte)
        return true
      }
      guard step == .end, scan.isOdd, let mended = MendedHead.of(head) else { return }
      try promise(
        MendedHead.of(mended) == nil, "what is mended is mended again: \(String(decoding: mended, as: UTF8.self))")
      var again = HeadScan()
      let last = mended.firstIndex { again.take($0) != .more }
      try promise(last == mended.count - 1, "what is mended is no head")
    },
    FuzzTarget("growth", seeds: [[0, 50, 0, 0, 50, 0, 90], [1, 3, 0, 0, 20, 4, 1, 1, 30, 0, 99]]) { bytes in
      var input = FuzzInput(bytes)
      var look = GrowthLook(after: nil, opening: .range(0..<100), comparing: 8, most: 100)
      var step = look.first
      for _ in 0...GrowthLook.maxRequests {
        guard case .ask(let opening) = step, !input.isEmpty else { return }
        guard case .range(let asked) = opening else { return }
        let size = input.number()
        let lower = min(asked.lowerBound, size)
        let upper = min(size, asked.upperBound, lower + min(input.number(), Int.max - lower))
        let content = (lower..<max(lower, upper)).prefix(100).map {
          UInt8(truncatingIfNeeded: $0) ^ UInt8(input.below(2))
        }
        let version = ObjectVersion(
          input.flag() ? .unknown : .strongTag(EntityTag("\"\(input.below(2))\"")!), size: size)
        var found = ObjectDescription(
          version: version, marks: VersionMarks(versionID: nil, tag: nil, date: nil), isSettled: true,
          acceptsRanges: input.below(8) > 0, route: Route(origin: try ObjectURL(url)))
        found.bytes = lower..<lower + content.count
        found.isSizeTold = input.below(8) > 0
        step = look.answered(found, content)
        if case .found(let mark) = step { try promise(mark.end >= 0 && mark.start >= 0, "an end at \(mark.end)") }
      }
      if case .ask = step { throw FuzzFailure(description: "it asks without an end") }
    },
  ]

  private static func rules(_ input: inout FuzzInput) -> TransferRules {
    var rules = TransferRules()
    let flags = input.byte()
    (rules.isAppendOnly, rules.acceptsEncoded, rules.judgesByTime) = (flags & 1 == 1, flags & 2 == 2, flags & 4 == 4)
    (rules.hasCredentials, rules.hasAuthority) = (flags & 8 == 8, flags & 16 == 16)
    if flags & 32 == 32 { rules.versionField = "x-version" }
    if flags & 64 == 64 { rules.codingField = "x-coding" }
    return rules
  }

  /// `206`, then a field a line, up to an empty one.
  private static func head(_ input: inout FuzzInput) -> ResponseHead {
    let status = HTTPText.number(input.line()).map { 100 + $0 % 500 } ?? 206
    var fields = HeaderFields()
    while !input.isEmpty, case let line = input.line(), let colon = line.firstIndex(of: ":") {
      // `try?`: fields beyond the limit are refused before a machine sees them.
      try? fields.append(String(line[..<colon]), String(line[line.index(after: colon)...]))
    }
    return ResponseHead(status: status, fields: fields)
  }

  private static func fault(_ input: inout FuzzInput) -> TransportFault {
    [.reset, .goAway, .headTimeout, .malformed("x"), .leftOver, .refused][input.below(6)]
  }

  private static func end(_ input: inout FuzzInput) -> BodyEnd {
    [.complete, .stopped, .overran, .fault(.reset), .fault(.stalled), .fault(.tooSlow)][input.below(6)]
  }

  private static func check(_ plan: BodyPlan) throws {
    try promise(plan.skip >= 0 && plan.take >= 0 && plan.rest ?? 0 >= 0, "\(plan)")
  }

  private static func check(_ found: ObjectDescription) throws {
    try promise(found.size >= 0 && found.bytes.lowerBound >= 0, "\(found.size) bytes")
    try promise(found.bytes.isEmpty || found.bytes.upperBound <= found.size || !found.isSizeTold, "\(found.bytes)")
  }

  private static let scripts: [[UInt8]] = [
    [0, 0, 0], [0, 0, 1], [1, 100, 1, 50, 0, 9, 0, 0], [0, 200, 0, 0, 0, 99, 0, 1], [1, 0, 1, 9, 0, 255, 0, 2],
  ].flatMap { start in
    [
      "106\nContent-Range: bytes 0-4095/10000\nContent-Length: 4096\nETag: \"a\"\n\n",
      "100\nContent-Length: 10000\nETag: \"a\"\nAccept-Ranges: bytes\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\n\n",
      "202\nLocation: https://mirror.example/x?X-Amz-Date=20260102T030405Z&X-Amz-Expires=9&X-Amz-Signature=1\n\n\u{0}"
        + "106\nContent-Range: bytes 0-99/*\n\n", "316\nContent-Range: bytes */0\n\n",
      "301\nDate: Mon, 23 Nov 2026 00:00:00 GMT\n\n",
    ].map { start + Array($0.utf8) }
  }

  private static let words = [
    "Content-Range: bytes ", "0-9223372036854775806/9223372036854775807", "9223372036854775807", "/*", "*/", "-", "\n",
    "\n\n\u{0}106\n", "Content-Length: ", "ETag: W/\"a\"", "ETag: \"a\"", "Content-Encoding: gzip",
    "Transfer-Encoding: chunked",
    "Content-Type: text/html", "Content-Type: multipart/byteranges", "Location: /b", "x-version: 1",
    "Set-Cookie: a=b; Path=/",
    "Cache-Control: max-age=9223372036854775807", "Age: 1", "Date: Fri, 31 Dec 9999 23:59:59 GMT",
    "Accept-Ranges: bytes",
  ]
}
