#if !canImport(Darwin)
  /// The differences between the platforms: here Linux, in `Platform+Darwin.swift` Apple platforms.
  enum Platform {
    /// `true` where a read can take what the page cache holds without waiting for a disk.
    static var readsResidentPages: Bool { true }

    /// The descriptors that the first timed wait of the process takes, including those it needs only for a moment.
    static var descriptorsOfFirstWait: CInt { 8 }
  }
#endif
