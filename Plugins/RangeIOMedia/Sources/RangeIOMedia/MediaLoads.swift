internal import RangeIO

/// Who asked for bytes, and gets them. Called in the context of its ``MediaLoads``.
protocol LoadingClient: AnyObject {
  /// What the request is told, if it asks for information. Comes first.
  func inform(_ information: LoadingRequests<any Error>.Information)
  /// The next bytes, in their order.
  func answer(_ bytes: Bytes)
  /// All bytes have come. Nothing follows.
  func finish()
  /// No more bytes come. Nothing follows.
  func fail(_ error: any Error)
}

/// Where the clients of a ``MediaLoads`` are called, one call at a time.
protocol LoadingContext: Sendable {
  /// Does `work` there, soon, in the order of the calls.
  func run(_ work: @escaping @Sendable () -> Void)
}

/// Executes what ``LoadingRequests`` decides: reads in tasks, and calls clients in their context.
///
/// A client is not called after ``cancel(_:)``, nor after its end. When this is freed, its reads are cancelled.
// Unchecked: used in its context only.
final class MediaLoads: @unchecked Sendable {
  private let media: PlayableMedia
  private let context: any LoadingContext
  private var requests: LoadingRequests<any Error>
  private var clients: [Int: any LoadingClient] = [:]
  private var reads: [Int: Task<Void, Never>] = [:]
  private var watch: Task<Void, Never>?

  /// - Parameter waits: `false` if requests take the size now for the final one, where the final one is not known.
  init(_ media: PlayableMedia, waits: Bool, in context: any LoadingContext) {
    self.media = media
    self.context = context
    requests = media.requests(waits: waits)
  }

  deinit {
    watch?.cancel()
    for read in reads.values { read.cancel() }
  }

  /// Begins a request, whose client is called before this returns if nothing has to be read.
  ///
  /// - Returns: its number.
  @discardableResult func begin(
    _ span: LoadingRequests<any Error>.Span, asksForInformation: Bool, _ client: any LoadingClient
  ) -> Int {
    // It was not watched since, unless a request has waited.
    requests.saw(media.byteCount)
    let (id, effects) = requests.begin(span, asksForInformation: asksForInformation)
    clients[id] = client
    execute(effects)
    return id
  }

  /// Ends a request. Its client is not called any more.
  func cancel(_ id: Int) {
    clients[id] = nil
    execute(requests.cancel(id))
  }

  private func execute(_ effects: [LoadingRequests<any Error>.Effect]) {
    for effect in effects {
      switch effect {
      case .inform(let id, let information): clients[id]?.inform(information)
      case .answer(let id, let bytes): clients[id]?.answer(bytes)
      case .finish(let id): clients.removeValue(forKey: id)?.finish()
      case .fail(let id, let error): clients.removeValue(forKey: id)?.fail(error)
      case .read(let id, let range): read(range, for: id)
      case .stopReading(let id): reads.removeValue(forKey: id)?.cancel()
      case .watch(let number, let offset): wait(for: offset, number)
      case .stopWatching:
        watch?.cancel()
        watch = nil
      }
    }
  }

  private func read(_ range: ByteRange, for id: Int) {
    // A client that was called just now may have cancelled.
    guard clients[id] != nil else { return }
    reads[id] = Task { [media, context, weak self] in
      let result: Result<Bytes, any Error>
      do { result = .success(try await media.read(range)) } catch { result = .failure(error) }
      context.run { [weak self] in
        guard let self else { return }
        self.reads[id] = nil
        self.execute(self.requests.read(id, result))
      }
    }
  }

  private func wait(for offset: Int, _ number: Int) {
    watch = Task { [media, context, weak self] in
      do {
        let (byteCount, isOver) = try await media.grew(to: offset)
        context.run { [weak self] in
          guard let self else { return }
          self.execute(self.requests.grew(number, to: byteCount, isOver: isOver))
        }
      } catch {
        context.run { [weak self] in
          guard let self else { return }
          self.execute(self.requests.watchFailed(number, error))
        }
      }
    }
  }
}
