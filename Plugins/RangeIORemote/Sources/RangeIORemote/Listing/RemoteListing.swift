#if HTTP
  public import RangeIO

  /// The names below a place on a server, page by page as you take them: at most one page is in memory.
  ///
  /// ```swift
  /// for try await entry in S3Source.listing("s3://planet/tiles/") where !entry.isFolder {
  ///   print(entry.name, entry.byteCount ?? 0)
  /// }
  /// ```
  ///
  /// Objects and folders come in the order of the server. The requests have the credentials, limits and errors of reads from
  /// that place, and `pipeline` retries them as it retries the opening of a source. Each iteration asks anew.
  ///
  /// **Errors.** `ReadError`, as when a source is opened, such as `permissionDenied` and `notFound`. `invalidResponse`
  /// means that the answer is no list of names, or that the pages lead back to one that was listed. `limitExceeded` means
  /// that a page has more than 64 MiB. What came before an error was listed.
  ///
  /// **Cancellation** is answered at once, by `CancellationError`.
  public struct RemoteListing: AsyncSequence, Sendable {
    /// What the user calls the place: in errors.
    public let name: String
    private let form: any ListingForm
    private let pipeline: ReadPipeline
    private let source: @Sendable () throws -> any RemoteSource

    /// A listing.
    ///
    /// - Parameters:
    ///   - name: what errors call the place; without secrets.
    ///   - form: how the server lists.
    ///   - pipeline: the stages that each page is opened through, of which `.retrying` and `.timeLimit` count.
    ///   - source: makes the source whose object is the bucket, the container or the directory, for one iteration.
    public init(
      _ name: String, _ form: some ListingForm, pipeline: ReadPipeline = .retrying(),
      of source: @escaping @Sendable () throws -> any RemoteSource
    ) {
      self.name = name
      self.form = form
      self.pipeline = pipeline
      self.source = source
    }

    /// Begins anew.
    public func makeAsyncIterator() -> Iterator { Iterator(pages.makeAsyncIterator()) }

    /// The same, a page at a time.
    public var pages: Pages { Pages(name: name, form: form, pipeline: pipeline, source: source) }

    /// The entries, in order. Use an iterator from one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private var pages: Pages.Iterator
      private var entries: ArraySlice<ListedEntry> = []

      fileprivate init(_ pages: Pages.Iterator) { self.pages = pages }

      /// The next entry, or `nil` after the last.
      public mutating func next() async throws -> ListedEntry? { try await next(isolation: nil) }

      /// The next entry, without leaving the caller's actor.
      public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> ListedEntry? {
        while entries.isEmpty {
          guard let page = try await pages.next(isolation: actor) else { return nil }
          entries = page.entries[...]
        }
        return entries.popFirst()
      }
    }
  }

  extension RemoteListing {
    /// The pages of a listing.
    public struct Pages: AsyncSequence, Sendable {
      fileprivate let name: String
      fileprivate let form: any ListingForm
      fileprivate let pipeline: ReadPipeline
      fileprivate let source: @Sendable () throws -> any RemoteSource

      /// Begins anew.
      public func makeAsyncIterator() -> Iterator { Iterator(listing: self) }

      /// The pages, in order. Use an iterator from one task at a time.
      public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listing: Pages
        private var source: (any RemoteSource)?
        private var steps = PageSteps()
        private var form: any ListingForm

        fileprivate init(listing: Pages) {
          self.listing = listing
          form = listing.form
        }

        /// The next page, or `nil` after the last.
        public mutating func next() async throws -> ListingPage? { try await next(isolation: nil) }

        /// The next page, without leaving the caller's actor.
        public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> ListingPage? {
          try Task.checkCancellation()
          guard !steps.isOver else { return nil }
          do {
            let page = try await fetchedByEitherForm()
            try steps.took(page)
            if steps.isOver { await close() }
            return page
          } catch {
            steps.end()
            await close()
            throw (error as? ReadError)?.naming(listing.name) ?? error
          }
        }

        private nonisolated(nonsending) mutating func fetchedByEitherForm() async throws -> ListingPage {
          do { return try await fetched() } catch let first as ReadError {
            guard steps.token == nil, let other = form.other(after: first) else { throw first }
            form = other
            do { return try await fetched() } catch let second as ReadError
              where [.unsupportedSource, .notFound].contains(second.code)
            {
              throw first
            }
          }
        }

        private nonisolated(nonsending) mutating func fetched() async throws -> ListingPage {
          let source = try self.source ?? listing.source()
          self.source = source
          let page = PageSource(listing.name, form, steps.token, try await source.object)
          // A page is opened as an object is, so the stages of the pipeline do the same for it.
          await (try RangeReader(page, listing.pipeline)).close()
          return page.page
        }

        private nonisolated(nonsending) mutating func close() async {
          let source = self.source
          self.source = nil
          await source?.close()
        }
      }
    }
  }
#endif
