/// What the stages of this library have in common: ``ReadAhead``, ``Caching``, ``Merging``, ``Retrying``,
/// ``TimeLimiting``, ``Hedging``, ``Verifying``, ``Transforming``, ``Limiting`` and ``Observing``.
///
/// You list them in a pipeline, and several readers may list the same one. Their pages say what each does, and where it
/// may stand.
public class BuiltInStage: ReadyStage, @unchecked Sendable {
  // Unchecked because it is not final: it and its subclasses have constants only.
  /// What does the work. A pipeline links it in place of this object.
  package final let machinery: any ReadStage

  package init(_ machinery: any ReadStage) { self.machinery = machinery }

  /// Answers `request`.
  public final nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    try await machinery.read(request, next: next)
  }

  /// Returns the response if it is there without waiting.
  public final func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    (machinery as? any ReadyStage)?.ready(request, next: next)
  }

  /// Where it may stand among the others.
  public final var placement: ReadPipeline.Placement { machinery.placement }

  /// How it changes the source below.
  public final func describe(_ below: SourceDescription) -> SourceDescription { machinery.describe(below) }

  /// What it has done so far, over all readers that list it.
  public final func statistics() -> ReadCounts? { machinery.statistics() }

  /// Ends it. The last reader that lists it calls this.
  public final nonisolated(nonsending) func close() async { await machinery.close() }
}

extension ReadStage {
  /// What a pipeline links for this stage.
  var linked: any ReadStage { (self as? BuiltInStage)?.machinery ?? self }
}
