import RangeIO

/// A version of a source of the model.
struct ModelValidator: SourceDescription.Validator {
  let number: Int

  var persistentForm: [UInt8]? { Array("\(number)".utf8) }

  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    (newer as? ModelValidator)?.number == number ? .same : .other
  }
}
