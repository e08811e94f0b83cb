#if HTTP
  public import RangeIO

  /// What readers of remote objects share, whatever plugin opens them.
  public enum RemoteStore {
    /// The store of all readers that were given none: 128 MiB for the whole process, or a sixth of its memory if that is less,
    /// beside the store of readers of files.
    public static let shared: MemoryStore = {
      var configuration = MemoryStore.Configuration(limit: SystemMemory.bounded(.mebibytes(128), toPart: 6))
      configuration.typicalBlockSize = .kibibytes(256)
      // No background work of the current task: the store outlives the task that first uses it.
      configuration.background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
      return MemoryStore(configuration)
    }()
  }
#endif
