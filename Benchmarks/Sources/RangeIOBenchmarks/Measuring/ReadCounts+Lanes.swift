import RangeIO

extension ReadCounts {
  /// Reads in one way to read.
  var reads: Int { self["reads"] ?? 0 }
  /// Bytes read in one way to read.
  var bytes: Int { self["bytes"] ?? 0 }
}

extension [ReadCounts] {
  /// The bytes read in the way called `name`.
  func bytes(by name: String) -> Int { first { $0.name == name }?.bytes ?? 0 }
}
