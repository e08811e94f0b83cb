#if SharedCache

  extension Duration {
    /// Whole nanoseconds; more than an `Int64` holds counts as that.
    var wholeNanoseconds: Int64 {
      let (seconds, attoseconds) = components
      let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      return overflow
        ? (seconds < 0 ? .min : .max) : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
  }
#endif
