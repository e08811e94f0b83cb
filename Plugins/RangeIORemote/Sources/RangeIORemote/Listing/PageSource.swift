#if HTTP
  internal import RangeIO

  /// One page of a listing as a source. To open it is to fetch it.
  final class PageSource: RangeSource {
    /// The most bytes of a page: a directory of half a million names in one page of HTML.
    static let maxBytes = 64 << 20

    private struct State: Sendable {
      var body: [UInt8] = []
      var page: ListingPage?
    }
    private let name: String
    private let form: any ListingForm
    private let token: String?
    private let object: RemoteObject
    private let state = Locked(State())

    init(_ name: String, _ form: any ListingForm, _ token: String?, _ object: RemoteObject) {
      self.name = name
      self.form = form
      self.token = token
      self.object = object
    }

    /// The page, once it was opened.
    var page: ListingPage {
      guard let page = state.withLock({ $0.page }) else { preconditionFailure("a page is opened before it is taken") }
      return page
    }

    nonisolated(nonsending) func describe() async throws -> SourceDescription {
      let transfer = try transfer()
      do {
        try await transfer.run()
      } catch let failure as Failure {
        throw failure.readError(source: name)
      }
      let url = transfer.description.route.target
      let body = state.withLock { state in
        defer { state.body = [] }
        return state.body
      }
      let page = try form.page(in: body, from: url)
      state.withLock { $0.page = page }
      return SourceDescription(id: name, validator: nil, byteCount: body.count)
    }

    private func transfer() throws -> Transfer<DescriptionMachine> {
      let core = object.core
      var rules = core.rules
      rules.prefixLimit = .max
      let machine = DescriptionMachine(
        try form.url(after: token, of: core.origin), rules: rules, habits: core.learnt.withLock { $0.habits },
        opening: .whole, asking: form.properties)
      let sink = BodySink({ [self] bytes in
        try state.withLock { state in
          guard state.body.count + bytes.count <= Self.maxBytes else {
            throw ReadError(
              .limitExceeded, "a page of the listing has more than \(Self.maxBytes >> 20) MiB: list a folder within it")
          }
          bytes.withUnsafeBytes { state.body += $0 }
        }
      })
      // A request that is sent again begins with the first byte.
      return Transfer(machine, core, into: sink, until: core.deadline) { [self] in state.withLock { $0.body = [] } }
    }

    nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      throw ReadError(.unsupportedSource, "a page of a listing is not read: take its entries", source: name)
    }
  }
#endif
