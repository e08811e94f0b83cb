public import RangeIO

extension MappedSource {
  /// What a read hands out.
  public enum Slices: Hashable, Sendable {
    /// The mapped memory itself: nothing is copied, and no memory is taken in addition to the page cache.
    ///
    /// **For files that are not truncated, rewritten in place, or kept on a failing disk while their slices are in
    /// use.** Touching a byte of a slice whose page is gone ends the process (`SIGBUS`).
    case zeroCopy
    /// A copy, read through the descriptor and compared with the version afterwards. The mapped memory is never
    /// touched, so nothing that happens to the file can end the process.
    case copied
  }

  /// How the file will be read: a wish, which changes how fast it is and nothing else.
  public enum AccessPattern: Hashable, Sendable {
    /// Here and there, some of it in order: the kernel reads a little ahead. The default.
    case normal
    /// Here and there: the kernel reads nothing that was not asked for.
    case random
    /// From the start to the end: the kernel reads far ahead, and may drop what lies behind early.
    case sequential
    /// This range soon: the kernel begins to read it now, in the background.
    case willNeed(ByteRange)
  }

  /// How a file is mapped and read.
  public struct Configuration: Sendable {
    /// What a read hands out. Default: ``MappedSource/Slices/zeroCopy``.
    public var slices: Slices
    /// How the file will be read. Default: ``MappedSource/AccessPattern/normal``.
    public var access: AccessPattern
    /// The size of blocks that caches key on, a power of two. Default: 64 KiB. Any other size makes opening throw
    /// `ReadError.Code.invalidConfiguration`.
    public var blockSize: ByteCount

    var calls = MappedCalls()

    /// A configuration with defaults.
    public init(
      slices: Slices = .zeroCopy, access: AccessPattern = .normal, blockSize: ByteCount = .kibibytes(64)
    ) {
      self.slices = slices
      self.access = access
      self.blockSize = blockSize
    }
  }
}
