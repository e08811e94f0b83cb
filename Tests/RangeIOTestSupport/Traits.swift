import RangeIO

extension SourceDescription.Traits {
  /// Traits that differ from the defaults.
  static func with(_ change: (inout SourceDescription.Traits) -> Void) -> SourceDescription.Traits {
    var traits = SourceDescription.Traits()
    change(&traits)
    return traits
  }
}
