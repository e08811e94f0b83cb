#if SharedCache

  extension Duration {
    /// Whole nanoseconds; more than an `Int64` holds counts as that.
    var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
  }
#endif
