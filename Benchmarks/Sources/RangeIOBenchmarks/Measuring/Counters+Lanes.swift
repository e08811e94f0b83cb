import RangeIO

extension Counters {
  /// Reads in one way to read.
  var reads: Int { self["reads"] ?? 0 }
}

extension [Counters] {
  /// The count called `count` of the lane or tier called `name`; zero if it has none.
  func count(_ count: String, of name: String) -> Int { self[name]?[count] ?? 0 }
}
