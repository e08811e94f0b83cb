#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIORemoteTesting
  import Testing

  /// That the suite for remote sources sees the faults of a source.
  @Suite(.timeLimit(.minutes(5))) struct ConformanceFaultTests {
    /// A fault, and what is said of it.
    enum Fault: String, CaseIterable, Sendable {
      case believesAll = "does not fail"
      case mixesBytes = "bytes of the odd answer are left over"
      case showsSecrets = "an error shows a secret"
      case throwsAnything = "what is no ReadError"
      case saysNothing = "an error that says nothing"
      case forgetsTheKey = "the store would refuse its request"
      case neverRecovers = "after the store came to its senses"
    }

    /// A source that has one.
    private final class Source: RangeSource {
      private struct Other: Error {}
      private let source: HTTPSource
      private let fault: Fault

      init(_ source: HTTPSource, _ fault: Fault) { (self.source, self.fault) = (source, fault) }

      func describe() async throws -> SourceDescription { try await source.describe() }

      func read(_ range: ByteRange, of description: SourceDescription) async throws -> Bytes {
        do {
          let bytes = try await source.read(range, of: description)
          switch fault {
          case .mixesBytes: return Bytes(bytes.map { $0 ^ 1 })
          case .neverRecovers: throw ReadError(.inputOutput, "the server is still away")
          default: return bytes
          }
        } catch let error as ReadError {
          switch fault {
          case .believesAll: return Bytes([UInt8](repeating: 0, count: range.count))
          case .showsSecrets: throw ReadError(error.code, "\(error.message), with 'the password'")
          case .throwsAnything: throw Other()
          case .saysNothing: throw ReadError(error.code, "")
          default: throw error
          }
        }
      }

      func close() async { await source.close() }
    }

    @Test(arguments: Fault.allCases) func `a fault is seen, and the answer named`(_ fault: Fault) async throws {
      let answer = try #require(OddServer.Answer.all.first { $0.name == "part without content range" })
      let violation = await #expect(throws: RemoteConformance.Violation.self) {
        try await RemoteConformance.check(
          [answer], secrets: ["the password"], accepts: { _ in fault != .forgetsTheKey }
        ) {
          Source(HTTPSource($0 + objectPath, configuration: $1), fault)
        }
      }
      let text = violation?.description ?? ""
      #expect(text.hasPrefix("\(answer.name): ") && text.contains(fault.rawValue), "\(text)")
    }

    @Test func `a wrong byte of a thousand reads is seen, with the seed`() async throws {
      let violation = await #expect(throws: RemoteConformance.Violation.self) {
        try await RemoteConformance.read(100, seed: 7) {
          Source(HTTPSource($0 + objectPath, configuration: $1), .mixesBytes)
        }
      }
      #expect(violation?.description.contains("seed 7") == true && violation?.description.contains("wrong") == true)
    }
  }

#endif
