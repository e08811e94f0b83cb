import RangeIO

/// The only version of a source that is made up.
struct MadeUpVersion: SourceValidator {
  func change(to newer: any SourceValidator) -> SourceChange { newer is MadeUpVersion ? .same : .other }

  var persistentForm: [UInt8]? { [1] }
}
