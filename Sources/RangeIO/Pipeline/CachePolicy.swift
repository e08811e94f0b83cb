extension ReadRequest {
  /// What a cache may do for a read.
  public enum CachePolicy: Hashable, Sendable {
    /// Return what it has, and keep what it fetches.
    case normal
    /// Nothing: the bytes come from below and are not kept.
    case bypass
    /// Return what it has, and throw `ReadError.Code.notCached` if that is not everything.
    case onlyIfCached
  }
}
