#if SharedCache
  internal import NIOCore
  internal import RangeIO

  extension SharedCacheNodes {
    /// The protocol that nodes speak.
    @nonexhaustive
    public enum Language: Hashable, Sendable {
      /// The meta commands of memcached 1.6.
      case memcached
      /// RESP, of Redis and Valkey.
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
  }
#endif
