import RangeIO

/// The validator of sources that never change.
struct OnlyVersion: SourceDescription.Validator {
  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    newer is OnlyVersion ? .same : .other
  }
}

extension SourceDescription.Traits {
  /// Those of a source that never waits, so that the reader adds no work of its own.
  static var neverWaiting: SourceDescription.Traits {
    var traits = SourceDescription.Traits()
    traits.answersCancellation = true
    return traits
  }
}
