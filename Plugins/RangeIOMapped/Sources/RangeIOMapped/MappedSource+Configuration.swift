internal import CRangeIOMapped
public import RangeIO

extension MappedSource {
  /// The kinds of bytes that a read may return.
  @nonexhaustive
  public enum Slices: Hashable, Sendable {
    /// The mapped memory itself: nothing is copied, and no memory is used in addition to the page cache.
    ///
    /// **Only for files on a sound disk that are not truncated or rewritten in place while their slices are in use.**
    /// Touching a byte of a slice whose page is gone ends the process (`SIGBUS`). Below a cache, the reads that bypass
    /// its store return such slices.
    case zeroCopy
    /// A copy. It is read through the descriptor, and then the file is checked for a change of version. The mapped
    /// memory is never touched, so nothing that happens to the file can end the process.
    case copied
  }

  /// The way in which you will read the file. A hint: it affects speed and nothing else.
  @nonexhaustive
  public enum AccessPattern: Hashable, Sendable {
    /// In any order, partly sequential: the kernel reads a little ahead. The default.
    case normal
    /// In random order: the kernel reads nothing that was not asked for.
    case random
    /// From start to end: the kernel reads far ahead, and may drop early what has been read.
    case sequential
  }

  /// Settings for mapping and reading a file.
  public struct Configuration: Sendable {
    /// The kind of bytes that a read returns. Default: ``MappedSource/Slices/zeroCopy``.
    public var slices: Slices
    /// The way in which you will read the file. Default: ``MappedSource/AccessPattern/normal``.
    public var access: AccessPattern
    /// The block size that caches use for this file, a power of two. Default: 64 KiB. With any other size, opening
    /// throws `ReadError.Code.invalidConfiguration`.
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

extension MappedSource.AccessPattern {
  /// The advice to the kernel.
  var advice: rim_advice {
    switch self {
    case .normal: rim_normal
    case .random: rim_random
    case .sequential: rim_sequential
    }
  }
}
