import RangeIO

/// The only version of a made-up source.
struct MadeUpVersion: SourceValidator {
  func change(to newer: any SourceValidator) -> SourceChange { newer is MadeUpVersion ? .same : .other }

  var persistentForm: [UInt8]? { [1] }
}
