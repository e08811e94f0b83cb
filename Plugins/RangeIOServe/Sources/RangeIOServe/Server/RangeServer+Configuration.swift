#if Serve
  package import RangeIO

  extension RangeServer {
    /// The address of a server, whom it answers, and its limits.
    public struct Configuration: Sendable {
      /// Where to listen.
      @nonexhaustive
      public enum Address: Sendable, Hashable {
        /// An address of this machine, or `*` for all, and a port; 0 for any that is free.
        case host(String, port: Int)
        /// A socket in the file system. One that is there is replaced, unless a program listens to it.
        case unixSocket(String)
        /// Sockets that listen already, by their descriptors, such as those of ``systemd()``. They stay yours: the server
        /// listens at copies, and closes these.
        case sockets([CInt])
      }

      /// Who may ask `/-/stats` and `/-/explain`, which show names and what is cached.
      @nonexhaustive
      public enum Administration: Sendable, Hashable {
        /// Clients on this machine, those of a unix socket included. A proxy on this machine is such a client.
        case local
        /// Every client.
        case everyone
        /// No client.
        case nobody
      }

      /// Default: port 8080 of 127.0.0.1, which only this machine reaches.
      public var address = Address.host("127.0.0.1", port: 8080)
      /// Who may connect to a unix socket, as for a file: `0o660` for its owner and its group. Default: `nil`, what the mask of
      /// the process leaves.
      public var socketMode: UInt16?
      /// The names of this server, which requests give in `Host`, besides `localhost` and addresses in digits. `*`
      /// permits all, and with it pages of other sites that lead their name to this machine. Default: none.
      public var hostNames: [String] = []
      /// Origins such as `https://viewer.example` whose pages may read (CORS); `*` for all. Default: none.
      public var allowedOrigins: [String] = []
      /// Default: ``Administration/local``.
      public var administration = Administration.local
      /// The file that is shown in place of the listing of a directory that has it, such as `index.html`; `nil`: listings only.
      /// Programs that ask for JSON get the listing. Default: `nil`.
      public var indexName: String?
      /// Whether `a.html.br`, `a.html.zst` or `a.html.gz` is sent for `a.html` to a client that accepts the coding, unless it is
      /// the older one of the two. Ranges and tags are those of the coded file. Of remote objects with a strong tag no date is
      /// known, so the coded one is always sent. Default: `false`.
      public var servesCodedFiles = false

      /// Those who may read, by their names, with the hashes of their passwords (RFC 7617); health is told to everyone.
      /// Only with TLS, or on this machine. Default: none, everyone may.
      public var users: [String: PasswordHash] = [:]
      /// The server speaks TLS with it, and nothing else. Default: `nil`, HTTP in the clear.
      public var certificate: ServerCertificate?
      /// Gets a line for each answer. It is yours: open it anew when it was moved away. Default: `nil`.
      public var accessLog: AccessLog?

      /// The most connections; never more than half of the descriptors that the process may have open. More wait in
      /// the queue of the system. Default: 16,384.
      public var maxConnections = 16_384
      /// The most connections of one client address (of IPv6: one network of 64 bits, here and below). More are closed at once.
      /// Default: 1,024. Clients behind one proxy count as one.
      public var maxConnectionsPerClient = 1024
      /// The most streams of HTTP/2 of one client address, on all of its connections. More are reset. Default: 1,024.
      public var maxStreamsPerClient = 1024
      /// The most requests that are answered at a time; each takes at most 320 KiB of memory, a listing as much as its page. More
      /// get 503. Default: 4,096.
      public var maxRequests = 4096
      /// The most requests of one client address that are answered at a time. More get 429. Default: 256.
      public var maxRequestsPerClient = 256
      /// The time in which the head of a request must be complete, from connecting or the end of the answer before; so
      /// also how long an idle connection stays. Default: 75 seconds.
      public var headTimeout = Duration.seconds(75)
      /// A client that takes nothing for so long is disconnected. Default: 60 seconds.
      public var stallTimeout = Duration.seconds(60)
      /// The time for which a server that is told to stop goes on, with 503 for `/-/readyz`, so that a balancer sends it no
      /// more requests. Default: none.
      public var stopDelay = Duration.zero
      /// The time that answers under way may take after that. Default: 30 seconds.
      public var drainTimeout = Duration.seconds(30)
      /// The most idle objects that each upstream keeps open, if the process may have enough descriptors. Default: 256.
      public var maxOpenObjects = 256
      /// Tells how old a look at an object is.
      package var time = ReadClock.continuous

      /// The defaults.
      public init() {}

      /// The most connections of each of some sockets, for a process that may have so many descriptors: half of them. The rest is
      /// for files, resting or being read. Without any, a socket that cannot accept would ask again and again, and libdispatch on
      /// Linux ends the process.
      func maxConnections(perSocketOf sockets: Int, descriptors: UInt64) -> Int {
        max(1, min(maxConnections, Int(clamping: descriptors / 2)) / sockets)
      }

      /// The most idle objects of each of some upstreams, for a process that may have so many descriptors: an eighth of them. If
      /// files kept them all, no connection could be accepted, and no request would come that gives one back.
      func maxOpenObjects(perUpstreamOf upstreams: Int, descriptors: UInt64) -> Int {
        max(1, min(maxOpenObjects, Int(clamping: descriptors / 8) / max(1, upstreams)))
      }

      /// The most readers that are open at a time, resting or read for an answer, for a process that may have so many descriptors:
      /// three eighths of them. Where there are no more, a request gets 503.
      func maxReaders(descriptors: UInt64) -> Int { max(1, Int(clamping: descriptors / 8 * 3)) }

      /// The most bytes that are read at once for an answer.
      static let pieceSize = 256 * 1024
      /// The first piece from a source that takes its time: a viewer that seeks can begin with so much.
      static let firstDistantPiece = 64 * 1024
    }
  }
#endif
