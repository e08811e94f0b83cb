#if canImport(Darwin)
  /// The differences between the platforms: here Apple platforms, in `Platform+Linux.swift` Linux.
  enum Platform {
    /// `true` where a read can take what the page cache holds without waiting for a disk.
    static var readsResidentPages: Bool { false }

    /// The descriptors that the first timed wait of the process takes.
    static var descriptorsOfFirstWait: CInt { 0 }
  }
#endif
