#if Serve
  internal import RangeIO
  internal import RangeIORemote

  /// The upstreams of a server, by the first name in the path.
  struct Mounts: Sendable {
    /// Where a path leads.
    enum Place: Sendable {
      /// The list of all upstreams.
      case root
      case below(ObjectPool, path: [ServedName])
    }

    private let pools: [ServedName: ObjectPool]
    private let names: [ServedName]

    /// The first name of what is no object: statistics, and what is asked of the server itself.
    static let reserved: ServedName = "-"
    private static let root: ServedName = ""

    /// - Parameters:
    ///   - maxOpenObjects: the most objects of each upstream that are kept open without being read.
    ///   - maxReaders: the most that are open at a time, of all.
    init(_ upstreams: [(String, any ServedUpstream)], maxOpenObjects: Int, maxReaders: Int, time: ReadClock) {
      var pools: [ServedName: ObjectPool] = [:]
      let places = ReaderPlaces(maxReaders)
      for (name, upstream) in upstreams {
        let key = ServedName(name)
        precondition(pools[key] == nil, "each upstream has a name of its own")
        precondition(key != Self.reserved, "what the server tells of itself is below '-'")
        pools[key] = ObjectPool(upstream, limit: maxOpenObjects, in: places, time: time)
      }
      precondition(pools[Self.root] == nil || pools.count == 1, "an upstream at the root is the only one")
      self.pools = pools
      names = pools.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// - Throws: `ReadError` with `notFound`.
    func place(of names: [ServedName]) throws(ReadError) -> Place {
      if let pool = pools[Self.root] { return .below(pool, path: names) }
      guard let first = names.first else { return .root }
      guard let pool = pools[first] else { throw .nothingServed }
      return .below(pool, path: Array(names.dropFirst()))
    }

    /// The upstreams as the entries of a directory.
    func entries() async -> [ServedItem.Entry] {
      var entries: [ServedItem.Entry] = []
      for name in names {
        guard let pool = pools[name] else { continue }
        // What cannot be opened now is listed as well, without a size.
        let found = try? await pool.find([])
        if case .object(let object) = found {
          entries.append(
            .init(
              name: name, byteCount: object.version.size,
              modifiedSecondsSince1970: object.version.modified?.secondsSince1970))
        } else {
          entries.append(.init(name: name, byteCount: nil, isDirectory: !(await pool.isObject([]))))
        }
      }
      return entries
    }

    /// The objects that are open.
    var openObjects: Int { pools.values.reduce(0) { $0 + $1.count } }

    /// The statistics of each open reader.
    var readers: [RangeReader.Statistics] { pools.values.flatMap(\.statistics) }

    func close() async { for pool in pools.values { await pool.close() } }
  }
#endif
