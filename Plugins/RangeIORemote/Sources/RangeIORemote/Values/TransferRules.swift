/// The parts of a source's configuration that machines need. Constants.
struct TransferRules: Hashable, Sendable {
  /// The most bytes that are read of a 200 in place of a range: only for a range that ends within them. Default: 1 MiB.
  var prefixLimit = 1 << 20
  /// The most bytes of an answer whose end alone tells how long the object is.
  var maxWhole: Int { min(max(0, prefixLimit), .max - 1) }
  /// The most bytes that are skipped of a 206 that begins earlier than it should. Default: 64 KiB.
  var skipLimit = 65_536
  /// The most bytes of an object without ranges that are passed over to reach a read. Default: 8 MiB.
  var maxPassedOver = 8 << 20
  /// Takes the end of a body for the size of an object whose answers tell none. Default: `true`.
  var findsSizeByEnd = true
  /// The most redirects in a row. Default: 10.
  var redirects = 10
  /// The most answers in a row that bring less than 16 KiB on, and requests that get none. Default: 8.
  var cuts = 8
  /// The most times that a read goes on after a body that came too slowly, and after one that stalled without progress
  /// since the last one that did. Default: 1.
  var stalls = 1
  /// Judges versions by `Last-Modified` and size where there is such a field, for servers behind one name that give
  /// each its own tag. Default: `false`.
  var judgesByTime = false
  /// The field that names the version, which is then pinned. Default: `nil`, none does.
  var versionField: String?
  /// The field that names the coding of what is stored, which that of an answer must be. Default: `nil`, none does.
  var codingField: String?
  /// Reads the bytes under a `Content-Encoding` as they are: stores keep what was uploaded with one. Default: `false`.
  var acceptsEncoded = false
  /// The object only grows. An answer of another version is accepted if it is not shorter than what is known; the bytes are
  /// compared later. An answer must not be older than that, so every request asks caches to pass it on. Default: `false`.
  var isAppendOnly = false
  /// A ``RequestAuthority`` judges errors. Default: `false`.
  var hasAuthority = false
  /// There may be other credentials after a 401. Default: `false`.
  var hasCredentials = false
  /// Requests have nothing that says who asks. Default: `false`.
  var isAnonymous = false

  /// The defaults.
  init() {}

  /// An answer counts as progress if it brings this many bytes.
  static let progress = 16_384
}
