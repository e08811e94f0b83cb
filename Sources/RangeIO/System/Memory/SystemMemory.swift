import CRangeIOSystem

/// The memory of the system that this process runs on.
public enum SystemMemory {
  /// The bytes that this process may use: the machine's memory, or less if its control group, or one above that, has a
  /// limit. Use it to size caches.
  ///
  /// ```swift
  /// let store = MemoryStore(limit: min(.gibibytes(1), SystemMemory.limit / 4))
  /// ```
  ///
  /// Limits change, and a container's limit may be set after it has started: ask when you need it. On Linux
  /// `memory.max` and `memory.high` count, and `memory.limit_in_bytes` of version 1. Elsewhere, and where no limit can
  /// be read, the value is the machine's memory; iOS allows one app less than that. Memory used by others is not
  /// subtracted, and swap is not added.
  ///
  /// - Complexity: opens and reads 2 small kernel files and up to 2 for each control group on the way up, about 0.2 ms.
  ///   Does not suspend, waits for no disk, and never fails.
  ///
  /// Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.
  public static var limit: ByteCount { limit(SystemFiles(), physical: Int(clamping: rio_physical_memory())) }

  /// The same for a system whose files and memory a test passes in. `physical`: 0 or less if not known.
  static func limit(_ files: SystemFiles, physical: Int) -> ByteCount {
    .bytes(min(physical > 0 ? physical : .max, MemoryMeter(files).limit ?? .max))
  }
}
