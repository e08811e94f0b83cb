/// Decides how much the stores of a process may hold, and when to look at what the system's limits leave. Pure: events
/// in, actions out.
///
/// Stores grow by steps, and a look comes with each: a step is a part of what was left. When next to nothing is left, stores
/// keep what they have, or less if that is too much, and a look comes when they were refused a 16th of that, 4 MiB at least.
struct MemoryGrowth: Equatable, Sendable {
  enum Action: Equatable { case grant, refuse, look }

  /// The bytes that may be held without another look.
  private(set) var allowed = 0
  /// Once less than this is held, what is allowed falls as well: others may take the memory that was given back.
  private(set) var floor = 0
  /// Next to nothing was left at the last look. While `false`, the room has no store give up bytes.
  private(set) var isTight = false
  /// The bytes that reads in flight may have reserved, counted as `due` is: an eighth of what stores may hold, once as bytes of the
  /// store and once in other hands.
  private(set) var maxDue = Int.max
  /// The most bytes that stores may hold, by the last looks. It falls at once and rises slowly: what the program takes for a
  /// moment, for the bytes that its reads return, it takes again. `.max`: nothing limits the process.
  private var most = Int.max
  private var isLooking = false
  /// Bytes granted since the look began that is under way.
  private var granted = 0
  /// Bytes refused since the last look.
  private var refused = 0
  /// The most that `allowed` may lie above what is held.
  private var slack = 0

  static let minStep = 1 << 20
  static let maxStep = 64 << 20
  /// Where nothing limits the process. That may change.
  static let stepWithoutLimits = 256 << 20
  private static let maxCounted = 1 << 60

  /// `bytes` more are wanted than the `held` ones, and together that is more than was allowed.
  mutating func wants(_ bytes: Int, held: Int) -> Action {
    // A look in between has answered it.
    if bytes <= allowed - held { return .grant }
    if isLooking {
      // As much as the last look would have let stores grow at once, and no more.
      guard !isTight, bytes <= max(slack, Self.minStep) - granted else { return .refuse }
      granted += bytes
      return .grant
    }
    if isTight {
      refused += min(bytes, Self.maxStep)
      guard refused >= max(4 * Self.minStep, held / 16) else { return .refuse }
    }
    isLooking = true
    granted = 0
    return .look
  }

  /// The look for `bytes` more has ended.
  ///
  /// - Parameters:
  ///   - left: `nil` if nothing limits this process.
  ///   - due: what is held and not used yet, so that it still counts as left.
  mutating func sees(_ left: MemoryLeft?, wanting bytes: Int, held: Int, due: Int = 0) {
    isLooking = false
    refused = 0
    let (bytes, held) = (min(bytes, Self.maxCounted), min(held, Self.maxCounted))
    let now = left.map { held + min($0.spare, Self.maxCounted) - min(due, Self.maxCounted) } ?? .max
    most = now < .max && most < now ? most + (now - most) / 16 : now
    maxDue = most < .max ? max(0, most / 4) : .max
    let spare = most < .max ? most - held : Self.maxCounted
    isTight = spare < max(Self.minStep, bytes)
    let step = left == nil ? Self.stepWithoutLimits : min(max(spare / 8, Self.minStep), Self.maxStep)
    slack = isTight ? 4 * Self.minStep : step
    allowed = max(0, held + (isTight ? min(0, spare) : max(step, bytes)))
    floor = allowed - 2 * slack
  }

  /// Less is held than ``floor``.
  mutating func falls(to held: Int) {
    allowed = min(allowed, held + slack)
    floor = allowed - 2 * slack
  }
}
