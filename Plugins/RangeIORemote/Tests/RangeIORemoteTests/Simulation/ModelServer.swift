@testable import RangeIORemote

/// A server with one object, which it may replace at any time, and with habits and tricks that a seed decides.
///
/// Whatever it does, a head that shows a version and a range stands over those bytes of that version: what shifts bytes
/// under right heads nothing but a digest can see.
struct ModelServer {
  enum HeadHabit: CaseIterable { case honest, honestToo, refuses, forbids, lies, withoutLength }
  enum ConditionHabit: CaseIterable { case honoured, honouredToo, ignored, refused }
  enum RedirectHabit: CaseIterable { case none, noneToo, sameOrigin, signed }

  var random: SeededNumbers
  let marking: ModelObject.Marking
  let head: HeadHabit
  let conditions: ConditionHabit
  let redirects: RedirectHabit
  /// A cache stands before the server, and may show the version before the last.
  let hasCache: Bool
  let ignoresRanges: Bool
  /// The most bytes of a 206.
  let cap: Int
  /// Of a thousand requests.
  let tricks: Int
  let replacements: Int
  /// Played as often as all others together: some failures need a trick twice in one read.
  let favourite: Trick
  var versions: [ModelObject]
  private(set) var requests = 0
  private(set) var played: [Trick: Int] = [:]
  /// The end of the last signature.
  private var signedUntil = 0
  var clock = testNow
  /// The requests are for a description.
  var isDescribing = false

  init(seed: UInt64) {
    random = SeededNumbers(seed)
    marking = random.one(of: ModelObject.Marking.allCases)
    head = random.one(of: HeadHabit.allCases)
    conditions = random.one(of: ConditionHabit.allCases)
    redirects = random.one(of: RedirectHabit.allCases)
    hasCache = random.happens(200)
    ignoresRanges = random.happens(100)
    cap = random.happens(200) ? 1 + random.below(40_000) : .max
    tricks = random.one(of: [0, 0, 20, 100, 300, 700])
    replacements = random.one(of: [0, 0, 20, 100, 300])
    favourite = random.one(of: Trick.allCases)
    let size = random.one(of: [1, 100, 5000, 70_000]) + random.below(500)
    versions = []
    versions.append(ModelObject(number: 0, marking: marking, size: size, &random))
  }

  /// No answer is wrong or very short, ranges are served, and the object stays.
  var isHonest: Bool { tricks == 0 && replacements == 0 && !ignoresRanges && head != .lies && cap > 2000 }

  mutating func answer(_ plan: RequestPlan) -> ModelAnswer {
    requests += 1
    clock += random.below(40)
    if random.happens(replacements) {
      let size = max(1, versions[versions.count - 1].size + random.one(of: [0, 0, 1, -1, 100]))
      versions.append(ModelObject(number: versions.count, marking: marking, size: size, &random))
    }
    if let redirect = redirected(plan) { return redirect }
    guard random.happens(tricks) else { return right(plan) }
    let trick = random.happens(500) ? favourite : random.one(of: Trick.allCases)
    played[trick, default: 0] += 1
    return play(trick, plan)
  }

  private mutating func redirected(_ plan: RequestPlan) -> ModelAnswer? {
    let isAtOrigin = plan.url.path == "/object" && plan.url.host == "origin.test"
    switch redirects {
    case .none, .noneToo: return nil
    case .sameOrigin:
      return isAtOrigin
        ? ModelAnswer(302, HeaderFields(["Location": "moved%20object?x=1", "Cache-Control": "no-store"])) : nil
    case .signed where isAtOrigin:
      signedUntil = clock + 100 + random.below(300)
      let location = "https://cdn.test/object?Signature=s&Expires=\(signedUntil)&Key-Pair-Id=k"
      return ModelAnswer(307, HeaderFields(["Location": location]))
    case .signed:
      return clock > signedUntil ? ModelAnswer(403) : nil
    }
  }

  /// The version that is shown: a cache may be behind.
  mutating func shown(_ plan: RequestPlan) -> ModelObject {
    if case .versionID = marking, let id = plan.versionID,
      let pinned = versions.first(where: { $0.fields["x-amz-version-id"] == id })
    {
      return pinned
    }
    if hasCache, !plan.passesCaches, versions.count > 1, random.happens(500) { return versions[versions.count - 2] }
    return versions[versions.count - 1]
  }

  /// The right answer, as this server's habits have it.
  mutating func right(_ plan: RequestPlan) -> ModelAnswer {
    let object = shown(plan)
    if plan.method == .head { return answerToHead(object) }
    if let tag = plan.ifMatch {
      switch conditions {
      case .honoured, .honouredToo: if object.fields["ETag"] != tag { return ModelAnswer(412) }
      case .refused: return ModelAnswer(412)
      case .ignored: break
      }
    }
    let suffix = plan.suffix.map { max(0, object.size - $0)..<object.size }
    guard let range = plan.range ?? suffix, !ignoresRanges else { return whole(object) }
    guard range.lowerBound < object.size else {
      return ModelAnswer(416, HeaderFields(["Content-Range": "bytes */\(object.size)"]))
    }
    let end = min(range.upperBound, object.size, range.lowerBound + min(cap, 1 << 40))
    return part(object, range.lowerBound..<end)
  }

  private mutating func answerToHead(_ object: ModelObject) -> ModelAnswer {
    var fields = object.fields
    switch head {
    case .refuses: return ModelAnswer(405)
    case .forbids: return ModelAnswer(403)
    case .withoutLength: return ModelAnswer(200, fields)
    case .lies:
      fields.set("Content-Length", "\(object.size / 2 + 1)")
    case .honest, .honestToo: fields.set("Content-Length", "\(object.size)")
    }
    return ModelAnswer(200, fields)
  }

  func whole(_ object: ModelObject) -> ModelAnswer {
    var fields = object.fields
    fields.set("Content-Length", "\(object.size)")
    return ModelAnswer(200, fields, body: object.bytes)
  }

  func part(_ object: ModelObject, _ range: Range<Int>) -> ModelAnswer {
    var fields = object.fields
    fields.set("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.size)")
    fields.set("Content-Length", "\(range.count)")
    return ModelAnswer(206, fields, body: Array(object.bytes[range]))
  }
}
