#if Azure
  import RangeIO
  import RangeIORemote
  import RangeIOSupport

  /// Files, programs and services of a test.
  final class Scene: Sendable {
    private struct State {
      var requests: [CredentialPlaces.Request] = []
      var commands: [CredentialPlaces.Command] = []
    }
    private let state = Guarded(State())
    let files: [String: String]
    /// What `az` prints; `nil`: it is not there.
    let output: @Sendable () -> String?
    let answers: @Sendable (CredentialPlaces.Request) throws -> CredentialPlaces.Answer

    /// The time of all scenes.
    static let now = 1_767_323_045

    init(
      files: [String: String] = [:], output: @escaping @Sendable @autoclosure () -> String? = nil,
      answers: @escaping @Sendable (CredentialPlaces.Request) throws -> CredentialPlaces.Answer = { _ in
        throw ReadError(.timedOut, "nobody answers", isTransient: true)
      }
    ) {
      self.files = files
      self.output = output
      self.answers = answers
    }

    var requests: [CredentialPlaces.Request] { state.withLock { $0.requests } }
    var commands: [CredentialPlaces.Command] { state.withLock { $0.commands } }

    func places(_ environment: [String: String] = [:]) -> CredentialPlaces {
      CredentialPlaces(
        environment: environment, home: "/home/u", file: { [files] in files[$0] },
        run: { [self] command in
          state.withLock { $0.commands.append(command) }
          guard let output = output() else {
            throw ReadError(.permissionDenied, "\(command.name) ended with status 127")
          }
          return Array(output.utf8)
        },
        send: { [self] request in
          state.withLock { $0.requests.append(request) }
          return try answers(request)
        }, now: { Self.now })
    }

    static func answer(_ text: String, status: Int = 200) -> CredentialPlaces.Answer {
      CredentialPlaces.Answer(status: status, body: Array(text.utf8))
    }
  }

#endif
