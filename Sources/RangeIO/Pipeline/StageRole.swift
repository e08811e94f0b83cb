/// The work of a stage for its pipeline besides reading: one of these at most. A stage is asked for it once, when it is linked.
enum StageRole: Sendable {
  /// It keeps the bytes it returns.
  case caching(any CacheStage)
  /// It asks ahead. `discard` drops what it has of a range, `leave` what it has for a stream whose last read ended at one
  /// of these offsets.
  case readingAhead(
    discard: @Sendable (ByteRange, SourceDescription) -> Void,
    leave: @Sendable (ClosedRange<Int>, SourceDescription) -> Void)
  /// It reads neighbouring ranges together: see ``ReadNext/groups(_:of:)`` and ``ReadNext/gathering(of:)``.
  case gathering(
    groups: @Sendable ([ByteRange], SourceDescription) -> [Range<Int>], @Sendable (SourceDescription) -> Gathering)
  /// It shows other bytes than those below it, and tells which come from where: as ``CacheStage/explain(_:of:next:)``.
  case decoding(explain: @Sendable (ByteRange, SourceDescription, ReadNext) -> [ReadExplanation.Part])
  /// It ends reads after a time. Opening the source is not tried again after that, either.
  case limitingTime(Duration)
  /// It tries again, opening the source as well: returns what `describe` returns, after several tries if need be. `next` reads
  /// nothing: the stage waits and asks for the time by it. No try begins after `deadline`.
  case retrying(Opening)

  typealias Opening =
    nonisolated(nonsending) @Sendable (
      _ next: ReadNext, _ deadline: ReadClock.Instant?,
      _ describe: nonisolated(nonsending) () async throws -> SourceDescription
    ) async throws -> SourceDescription

  /// The cache, if it is one.
  var cache: (any CacheStage)? {
    guard case .caching(let cache) = self else { return nil }
    return cache
  }
}

/// A stage that has a role.
protocol RoleStage: ReadStage {
  var role: StageRole { get }
}

extension ReadStage {
  /// Its role; `nil` if it only reads.
  var knownRole: StageRole? { (self as? any RoleStage)?.role }
}

/// A stage's way of reading neighbouring ranges together.
struct Gathering: Equatable, Sendable {
  /// The bytes that take as long to read as another request takes to begin, as measured by now.
  var gap: Int
  /// The most bytes in a group of several ranges.
  var longest: Int
  /// The most groups that it reads at the same time.
  var groupsAtOnce: Int
  /// The groups that it begins with: fewer while nothing was measured, since these are grouped by a guess.
  var groupsAtFirst: Int
}
