#if SharedCache
  internal import NIOCore
  internal import RangeIO

  /// What nodes speak.
  enum NodeEngine: Sendable {
    case memcached
    case redis

    func parser(_ valueLimit: Int) -> any ReplyParser {
      switch self {
      case .memcached: MetaReplyParser(valueLimit: valueLimit)
      case .redis: RESPReplyParser(valueLimit: valueLimit)
      }
    }

    func writer() -> any CommandWriter {
      switch self {
      case .memcached: MetaCommands()
      case .redis: RESPCommands()
      }
    }
  }
#endif
