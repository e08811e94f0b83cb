#if HTTP
  internal import RangeIOHTTPTestServer

  extension RemoteConformance {
    /// Something odd that a store answers.
    public struct Answer: Sendable, CustomStringConvertible {
      let odd: OddAnswer

      /// What it is, in words.
      public var name: String { odd.name }
      /// The name.
      public var description: String { odd.name }

      /// All that a client can tell from right ones or has no need to: each name is there once.
      public static let all = OddAnswer.all.map { Answer(odd: $0) }

      /// Right heads over bytes of another place. It is not among ``all``: nothing sees it but a digest (`Verifying`).
      public static let shiftedBytes = Answer(odd: .shiftedBytes)
    }
  }
#endif
