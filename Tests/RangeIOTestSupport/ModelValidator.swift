import RangeIO

/// A version of a source of the model.
struct ModelValidator: SourceValidator {
  let number: Int

  var persistentForm: [UInt8]? { Array("\(number)".utf8) }

  func change(to newer: any SourceValidator) -> SourceChange {
    (newer as? ModelValidator)?.number == number ? .same : .other
  }
}
