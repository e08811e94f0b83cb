/// A stage that reads neighbouring ranges together.
protocol GatheringStage: ReadStage {
  /// See ``ReadNext/groups(_:of:)``; `nil` if it groups nothing.
  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>]?

  /// See ``ReadNext/gathering(of:)``.
  func gathering(of source: SourceDescription) -> Gathering?
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

/// A stage that tells where bytes come from. Of a stage that does not, and shows what those below it show, these tell.
protocol ExplainingStage: ReadStage {
  /// Where the bytes of `range` would come from now. The parts are in order and together make up `range`. Must read
  /// nothing and count nothing.
  func explain(_ range: ByteRange, of source: SourceDescription, next: ReadNext) -> [ReadExplanation.Part]
}

/// A stage that ends reads after a time. Opening the source is not tried again after that, either.
protocol TimedStage: ReadStage {
  var limit: Duration { get }
}

/// A stage that takes part in opening the source.
protocol OpeningStage: ReadStage {
  /// Returns what `describe` returns, after several tries if need be. `next` reads nothing: the stage waits and asks for
  /// the time by it.
  ///
  /// - Parameter deadline: no try begins later.
  nonisolated(nonsending) func opening(
    _ next: ReadNext, until deadline: ReadClock.Instant?,
    _ describe: nonisolated(nonsending) () async throws -> SourceDescription
  ) async throws -> SourceDescription
}
