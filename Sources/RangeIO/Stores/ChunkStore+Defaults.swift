// Default implementations, and what you can do with every store.

extension ChunkStore {
  /// By default those of a store that ends with the process.
  public var traits: StoreTraits { StoreTraits() }

  /// By default does nothing.
  public func erase(source id: String?) {}

  /// By default none.
  public func statistics() -> [Counters] { [] }

  /// By default does nothing.
  public func close(within deadline: Duration) async throws {}

  /// The store's type, and a line for each of its tiers: what ``statistics()`` counts. For people.
  public var description: String {
    (["\(type(of: self))"] + statistics().map { "  \($0)" }).joined(separator: "\n")
  }

  /// This store with everything that a cache asks of one. Costs a dynamic cast: resolve it once, not for each read.
  package var full: any FullChunkStore { self as? any FullChunkStore ?? AdaptedStore(self) }
}

extension ChunkStore {
  /// Returns `true` if the store holds all of `range`, in blocks of one size: a reader would find all of it. The library's
  /// stores do not count it as a read; any other store is asked by ``lookUp(_:of:)``.
  ///
  /// - Parameters:
  ///   - range: the bytes.
  ///   - source: the description that the reader has where the `.caching` stage stands: `reader.source` if no stage above
  ///     it changes the contents.
  public func contains(_ range: ByteRange, of source: SourceDescription) -> Bool { full.has(range, of: source) }

  /// Removes everything kept of a source, in all its versions and tiers, with its pins and metadata.
  ///
  /// From now on it cannot be found, and reads in flight do not bring it back.
  ///
  /// - Parameter id: the source's id, as in `SourceDescription.id`.
  public func remove(source id: String) { full.remove(.source(id: id)) }

  /// Removes the blocks of a source that hold bytes of `range`, from all tiers.
  ///
  /// From now on they cannot be found, and reads in flight do not bring them back.
  public func remove(_ range: ByteRange, of source: SourceDescription) {
    if !range.isEmpty { full.remove(.version(source, range)) }
  }

  /// Removes everything. From now on nothing can be found, and reads in flight do not bring it back.
  ///
  /// Freeing a lot of memory takes time. A ``MemoryStore`` frees it as you iterate the result, as reads need the room,
  /// or when you release the result. Other stores free it at once.
  ///
  /// ```swift
  /// for await progress in store.removeAll() { print("\(progress.removedBytes) of \(progress.totalBytes)") }
  /// store.removeAll()  // at once
  /// ```
  ///
  /// - Returns: the bytes of memory freed so far, as charged, and all that there are to free, after each step. What
  ///   other stores hold is freed before and does not count.
  @discardableResult public func removeAll() -> some AsyncSequence<(removedBytes: Int, totalBytes: Int), Never>
    & Sendable
  {
    full.remove(.everything)
  }
}

// What a `MemoryStore` does, alone or as a part of another store.

extension ChunkStore {
  /// Protects the blocks that hold `range` from eviction: the blocks that are here, and those added later. They count
  /// towards the limit, and age limits still apply. What is compressed stays compressed.
  ///
  /// - Throws: `ReadError.Code.rangeNotSatisfiable` if the source has no such range; `invalidConfiguration` if neither
  ///   the store nor a part of it is a ``MemoryStore``.
  public func pin(_ range: ByteRange, of source: SourceDescription) throws {
    try full.change(.pin(range, of: source)).check(keeping: "pins")
  }

  /// Allows the blocks that hold `range` to be evicted again.
  public func unpin(_ range: ByteRange, of source: SourceDescription) { full.change(.unpin(range, of: source)) }

  /// Keeps a few bytes of your own with a version of a source: a parsed index, a title. They count towards the limit,
  /// and are removed when the source is removed or changes.
  ///
  /// - Parameters:
  ///   - metadata: the store keeps a copy. `nil` removes the old metadata.
  ///   - source: the version that the metadata belong to.
  /// - Throws: `ReadError.Code.limitExceeded` if there is no room; the old metadata is then still there.
  ///   `invalidConfiguration` if neither the store nor a part of it is a ``MemoryStore``.
  public func setMetadata(_ metadata: Bytes?, of source: SourceDescription) throws {
    try full.change(.keep(metadata: metadata, of: source)).check(keeping: "metadata")
  }

  /// The metadata kept with a version of a source.
  public func metadata(of source: SourceDescription) -> Bytes? {
    sources.tokens(of: source).lazy.compactMap(\.entry.metadata).first
  }

  /// Frees memory because the system is short of it: half of what is held at a warning, otherwise all that is not
  /// pinned. Compressed memory goes first; then nothing is compressed until the pressure ends, or for a minute. Parts
  /// that are your own stores keep what they have.
  public func handleMemoryPressure(_ pressure: MemoryPressure) { full.change(.relieve(pressure)) }

  /// Calls ``handleMemoryPressure(_:)`` for each signal, until the signals end or one comes after the store is gone.
  ///
  /// ```swift
  /// store.handleMemoryPressure(from: MemoryPressure.signals())
  /// ```
  ///
  /// You can also pass any asynchronous sequence of ``MemoryPressure``, such as one that your program feeds.
  ///
  /// - Returns: the task that listens. Cancel it to stop.
  @discardableResult public func handleMemoryPressure<Signals: AsyncSequence & Sendable>(from signals: Signals) -> Task<
    Void, Never
  >
  where Signals.Element == MemoryPressure {
    traits.background.start { [weak self] in
      do {
        for try await pressure in signals {
          guard let self else { return }
          self.handleMemoryPressure(pressure)
        }
      } catch {
        // If the signals end with an error, they have ended.
      }
    }
  }

  /// Changes how long chunks are kept, in all tiers: `age` after they were requested from the source, `idle` after they
  /// were last read, which a disk does not track. `nil`: for as long as there is room. Parts that are your own stores
  /// have their own limits.
  ///
  /// Expired chunks are removed when they are looked up, and by a timer.
  public func setTimeLimits(age: Duration?, idle: Duration?) { full.change(.limitTime(age: age, idle: idle)) }
}

extension ChunkStore {
  /// Reserves and inserts each piece of a chunk separately. Returns `true` if all of it is kept.
  package func insertPieces(of chunk: Chunk) -> Bool {
    var isKept = true
    for piece in chunk.pieces {
      guard let reservation = reserve(piece.range, ofRun: piece.range.count, for: chunk.token) else {
        isKept = false
        continue
      }
      isKept = insert(piece.bytes, at: piece.range, ticket: chunk.ticket, reservation: reservation) && isKept
    }
    return isKept
  }
}
