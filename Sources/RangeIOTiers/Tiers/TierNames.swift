public import RangeIO

/// The tiers that bytes come from.
extension ReadExplanation.Origin {
  /// A cache's compressed memory.
  public static let compressed = compressedTier

  /// A cache's directory on a disk.
  public static let disk = diskTier
}

/// What is wrong with a directory.
extension ReadError.Code {
  /// Another version of this library wrote it, and this version cannot read it. Nothing was changed.
  public static let unsupportedFormat = otherFormat
}
