internal import RangeIO

extension Duration {
  /// Whole nanoseconds; more than an `Int64` holds, some 292 years, counts as that.
  public var wholeNanoseconds: Int64 { nanoseconds }
}
