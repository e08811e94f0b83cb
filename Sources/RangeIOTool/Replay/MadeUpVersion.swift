import RangeIO

/// The only version of a made-up source.
struct MadeUpVersion: SourceDescription.Validator {
  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    newer is MadeUpVersion ? .same : .other
  }

  var persistentForm: [UInt8]? { [1] }
}
