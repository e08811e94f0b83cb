import Testing

@testable import RangeIORemote

/// The table of version marks: of HEAD × of the first GET × of later GETs, and the object replaced between any two.
///
/// The server has one object of two versions of equal size, and honours no `If-Match`.
struct VersionTableTests {
  /// The marks that a server shows of a version, the first or the second.
  enum Shown: CaseIterable {
    case none, weak, strong, date, sameDate, sameDateStrong, sameDateWeak, otherCase, gzipSuffix

    func fields(_ version: Int) -> [(String, String)] {
      let same = ("Last-Modified", oldDate)
      switch self {
      case .none: return []
      case .weak: return [("ETag", "W/\"t\(version)\"")]
      case .strong: return [("ETag", "\"t\(version)\"")]
      case .date: return [("Last-Modified", "Sun, 06 Nov 1994 08:49:3\(version) GMT")]
      case .sameDate: return [same]
      case .sameDateStrong: return [same, ("ETag", "\"t\(version)\"")]
      case .sameDateWeak: return [same, ("ETag", "W/\"t\(version)\"")]
      case .otherCase: return [("ETag", version == 1 ? "\"tag\"" : "\"TAG\"")]
      case .gzipSuffix: return [("ETag", version == 1 ? "\"tag\"" : "\"tag-gzip\"")]
      }
    }

    /// It shows the date that both versions have.
    var hasSameDate: Bool { [.sameDate, .sameDateStrong, .sameDateWeak].contains(self) }
  }

  /// Which versions answer, after HEAD with the first: the object is replaced between two answers; a server behind two origins
  /// goes back.
  private static let orders = [(first: 1, later: 2), (first: 2, later: 1), (first: 2, later: 2)]

  /// The table: where nothing can see that the object was replaced between the first GET and a later one.
  private func isUnseen(_ head: Shown, _ first: Shown, _ later: Shown) -> Bool {
    // Nothing at all was shown with the first bytes, nor before.
    if head == .none, first == .none { return true }
    // All that was shown is the second in which both versions were stored, and it is shown again.
    return [.none, .sameDate].contains(head) && first == .sameDate && later.hasSameDate
  }

  private static let size = 1000

  private func head(_ shown: Shown, _ version: Int, _ range: Range<Int>? = nil) -> ResponseHead {
    var fields = HeaderFields(["Content-Length": "\(range?.count ?? Self.size)"])
    if let range { fields.set("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.size)") }
    for (name, value) in shown.fields(version) { fields.set(name, value) }
    return ResponseHead(status: range == nil ? 200 : 206, fields: fields)
  }

  private func described(_ shown: Shown, _ version: Int, byGet: Bool = false) throws -> ObjectDescription {
    var run = try DescriptionRun(opening: byGet ? .probe : .head)
    while run.description == nil {
      let head = head(shown, version, run.request?.method == .get ? 0..<1 : nil)
      run.answer(head)
      if run.failure != nil { break }
    }
    return try #require(run.description)
  }

  /// Reads a range of 100 bytes whose first answer is cut after 50; what follows is of the later version.
  ///
  /// - Returns: the versions whose bytes the read has, or why it failed.
  private func continued(
    _ headShows: Shown, _ first: Shown, _ later: Shown, _ order: (first: Int, later: Int)
  ) throws -> Result<[Int], Failure> {
    var run = try ReadRun(0..<100, of: described(headShows, 1).version)
    run.answer(head(first, order.first, 0..<100))
    if let failure = run.failure { return .failure(failure) }
    if case .describe = run.action { return .failure(try decided(&run, first, order.first)) }
    run.ended(.fault(.reset), 50)
    let pinned = run.machine.pin
    if case .strongTag(let tag) = pinned { #expect(run.request?.ifMatch == tag.condition) }
    run.answer(head(later, order.later, 50..<100))
    if let failure = run.failure { return .failure(failure) }
    if case .describe = run.action { return .failure(try decided(&run, later, order.later)) }
    run.ended(.complete, 50)
    #expect(run.action == .finish)
    return .success([order.first, order.later])
  }

  /// The failure by which a description by GET ends a doubt: a change, or a stale answer.
  private func decided(_ run: inout ReadRun, _ shown: Shown, _ version: Int) throws -> Failure {
    run.described(try described(shown, version, byGet: true))
    return try #require(run.failure)
  }

  /// Two reads of one description, of which the first ended before the object was replaced. They share the best mark.
  private func apart(
    _ headShows: Shown, _ first: Shown, _ later: Shown, _ order: (first: Int, later: Int)
  ) throws -> Result<[Int], Failure> {
    let version = try described(headShows, 1).version
    var one = try ReadRun(0..<50, of: version)
    // Both are under way before one has an answer.
    var other = try ReadRun(50..<100, of: version)
    one.answer(head(first, order.first, 0..<50))
    if let failure = one.failure { return .failure(failure) }
    if case .describe = one.action { return .failure(try decided(&one, first, order.first)) }
    one.ended(.complete, 50)
    other.machine.pin = one.machine.pin
    other.answer(head(later, order.later, 50..<100))
    if let failure = other.failure { return .failure(failure) }
    if case .describe = other.action { return .failure(try decided(&other, later, order.later)) }
    other.ended(.complete, 50)
    return .success([order.first, order.later])
  }

  @Test(arguments: Shown.allCases)
  func `versions mix only where nothing shows that there are two`(_ head: Shown) throws {
    for first in Shown.allCases {
      for later in Shown.allCases {
        for order in Self.orders {
          let expected = isUnseen(head, first, later)
          let comment: Comment = "HEAD \(head), GET \(first) of \(order.first), then \(later) of \(order.later)"
          for result in [try continued(head, first, later, order), try apart(head, first, later, order)] {
            switch result {
            case .success(let versions): #expect(expected || versions[0] == versions[1], comment)
            case .failure(let failure):
              #expect(!expected || order == (2, 2), comment)
              // It is another version, or lacks what the first showed.
              #expect([.changed, .validatorMissing].contains(failure.reason), comment)
            }
          }
        }
      }
    }
  }

  @Test(arguments: Shown.allCases)
  func `an object that was replaced after HEAD is seen by the first answer`(_ shown: Shown) throws {
    for order in Self.orders where order.first == 2 {
      for result in [try continued(shown, shown, shown, order), try apart(shown, shown, shown, order)] {
        guard case .success = result else { continue }
        #expect([.none, .sameDate].contains(shown), "nothing tells these two versions apart")
      }
    }
  }

  @Test(arguments: Shown.allCases)
  func `an object that stays is read, whatever shows it, also where GET shows more than HEAD`(_ get: Shown) throws {
    for head in [get, .none] {
      var run = try ReadRun(0..<100, of: described(head, 1).version)
      run.answer(self.head(get, 1, 0..<100))
      run.ended(.fault(.reset), 50)
      run.answer(self.head(get, 1, 50..<100))
      run.ended(.complete, 50)
      #expect(run.action == .finish, "HEAD \(head), GET \(get)")
    }
  }

  @Test func `what is seen later counts from then on`() throws {
    var run = try ReadRun(0..<150, of: described(.none, 1).version)
    for (shown, version, range) in [(Shown.sameDate, 1, 0..<150), (.sameDateStrong, 1, 50..<150)] {
      run.answer(head(shown, version, range))
      run.ended(.fault(.reset), 50)
    }
    run.answer(head(.sameDateStrong, 2, 100..<150))
    #expect(run.action == .describe)
    #expect(try decided(&run, .sameDateStrong, 2).reason == .changed)
  }

  @Test func `after a contradiction descriptions begin with GET where that shows more`() throws {
    var run = try ReadRun(0..<100, of: described(.none, 1).version)
    run.answer(head(.strong, 1, 0..<100))
    run.ended(.fault(.reset), 50)
    run.answer(head(.strong, 2, 50..<100))
    _ = try decided(&run, .strong, 2)
    #expect(run.machine.lessons.contains(.headLies))
  }

  @Test func `a doubt is no change if GET shows the version that was read, though HEAD did not`() throws {
    var run = try ReadRun(0..<100, of: described(.sameDate, 1).version)
    run.answer(head(.sameDateStrong, 1, 0..<100))
    run.ended(.fault(.reset), 50)
    run.answer(404)
    run.described(try described(.sameDateStrong, 1, byGet: true))
    #expect(run.request?.range == 50..<100 && run.request?.ifMatch == "\"t1\"")
  }
}
