#if HTTP
  public import RangeIO

  /// What readers of remote objects share, whatever plugin opens them.
  public enum RemoteStore {
    /// The store of all readers that were given none: 128 MiB for the whole process, beside the store of readers of files.
    public static let shared: MemoryStore = {
      var configuration = MemoryStore.Configuration(limit: .mebibytes(128))
      configuration.typicalBlockSize = .kibibytes(256)
      // No background work of the current task: the store outlives the task that first uses it.
      configuration.background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
      return MemoryStore(configuration)
    }()
  }
#endif
