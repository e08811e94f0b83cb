#if HTTP
  internal import RangeIOHTTPTestServer
  public import RangeIORemote

  extension OddServer {
    /// Which requests get which odd answer.
    public struct Script: Sendable {
      let script: ServerScript

      /// What a server should answer (RFC 9110).
      public static let honest = Script(script: .honest)

      /// One odd answer to all requests to which it applies.
      ///
      /// - Parameters:
      ///   - answer: the answer.
      ///   - times: to how many requests; later ones get the right answer. `nil`: to all.
      public static func always(_ answer: Answer, times: Int? = nil) -> Script {
        Script(script: .always(answer.odd, times: times))
      }

      /// The first answer to the first request, the next one to the next; then right answers. `nil` stands for a right answer.
      /// An answer that does not apply to its request is left out.
      public static func inTurn(_ answers: [Answer?]) -> Script { Script(script: .inTurn(answers.map { $0?.odd })) }

      /// Odd answers to some requests, chosen by a seed and the number of the request. The same seed chooses the same
      /// answers, if the requests come in the same order.
      ///
      /// - Parameters:
      ///   - seed: print it when a test fails.
      ///   - share: how many of all requests get an odd answer, from 0 to 1.
      ///   - answers: those to choose from, each as often as the others. Default: all.
      public static func random(seed: UInt64, share: Double = 0.25, of answers: [Answer] = Answer.all) -> Script {
        Script(script: .odd(seed, rate: share / Double(max(1, answers.count)), answers.map(\.odd)))
      }
    }

    /// A request as the server received it.
    public struct Request: Sendable {
      /// `GET`, `HEAD`.
      public let method: String
      /// The path and query, byte for byte.
      public let target: String
      /// All header fields.
      public let fields: HeaderFields

      init(_ request: ServerRequest) {
        var fields = HeaderFields()
        for field in request.fields { fields.set(field.name, field.value) }
        (method, target, self.fields) = (request.method, request.target, fields)
      }
    }
  }
#endif
