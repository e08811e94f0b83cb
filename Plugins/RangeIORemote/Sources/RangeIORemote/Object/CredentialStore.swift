internal import RangeIO
internal import Synchronization

/// The value of `Authorization` for a server, from a provider that is asked at the first request, and again when the
/// server has refused a value. However many reads want one, the provider is asked once at a time.
final class CredentialStore: Sendable {
  /// Returns the value of `Authorization`; `nil` for none, or for no other than the one refused.
  typealias Provider = @Sendable (_ refused: String?) async throws -> String?

  /// A value, and its place among all that the provider gave.
  struct Credential: Sendable {
    let value: String?
    let number: Int
  }

  private struct Flight {
    var waiters: [ObjectIdentifier: Promise<Credential>]
    var task: Task<Void, Never>?
  }
  private struct State {
    var current: Credential?
    var flight: Flight?
    var lastFlight = 0
  }
  private let provider: Provider
  private let state: Locked<State>

  /// Asks `provider`.
  init(_ provider: @escaping Provider) {
    self.provider = provider
    state = Locked(State())
  }

  /// One value that never changes.
  init(fixed value: String) {
    provider = { _ in nil }
    state = Locked(State(current: Credential(value: value, number: 0)))
  }

  /// The present value.
  ///
  /// - Parameter wait: waits for an answer, as the caller's reads wait: it fails when they are cancelled or closed.
  func current(_ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential) async throws
    -> Credential
  {
    if let current = state.withLock({ $0.current }) { return current }
    return try await ask(after: nil, wait)
  }

  /// Another value than the `refused` one; `nil` if there is none.
  func renewed(
    after refused: Credential, _ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential
  ) async throws -> Credential? {
    let new = try await ask(after: refused, wait)
    return new.number != refused.number ? new : nil
  }

  private func ask(
    after refused: Credential?, _ wait: nonisolated(nonsending) (Promise<Credential>) async throws -> Credential
  ) async throws -> Credential {
    let answer = Promise<Credential>()
    let key = ObjectIdentifier(answer)
    let (known, mustStart) = state.withLock { state -> (Credential?, Bool) in
      // Another read has got a new one since.
      if let current = state.current, current.number != refused?.number { return (current, false) }
      if state.flight != nil {
        state.flight?.waiters[key] = answer
        return (nil, false)
      }
      state.flight = Flight(waiters: [key: answer])
      state.lastFlight += 1
      return (nil, true)
    }
    if let known { return known }
    if mustStart { start(refused) }
    do { return try await wait(answer) } catch {
      left(key)
      throw error
    }
  }

  private func start(_ refused: Credential?) {
    let number = state.withLock { $0.lastFlight }
    let task = BackgroundWork().start { [self] in
      do {
        let value = try await provider(refused?.value)
        if let refused, value == nil || value == refused.value {
          ended(number, .success(refused), keeps: nil)
        } else {
          let new = Credential(value: value, number: number)
          ended(number, .success(new), keeps: new)
        }
      } catch {
        ended(number, .failure(error), keeps: nil)
      }
    }
    let isOver = state.withLock { state -> Bool in
      guard state.flight != nil, state.lastFlight == number else { return true }
      state.flight?.task = task
      return false
    }
    if isOver { task.cancel() }
  }

  private func ended(_ number: Int, _ result: Result<Credential, any Error>, keeps credential: Credential?) {
    let waiters = state.withLock { state -> [Promise<Credential>] in
      guard state.lastFlight == number, let flight = state.flight else { return [] }
      if let credential { state.current = credential }
      state.flight = nil
      return Array(flight.waiters.values)
    }
    for waiter in waiters { waiter.resolve(result) }
  }

  /// A waiter has gone. Without any, the provider is told by cancellation.
  private func left(_ key: ObjectIdentifier) {
    let task = state.withLock { state -> Task<Void, Never>? in
      guard var flight = state.flight, flight.waiters.removeValue(forKey: key) != nil else { return nil }
      guard flight.waiters.isEmpty else {
        state.flight = flight
        return nil
      }
      state.flight = nil
      return flight.task
    }
    task?.cancel()
  }
}

extension CredentialStore {
  /// The value of `Authorization` for a user and a password (RFC 7617).
  static func basic(user: String, password: String) -> String {
    "Basic " + base64(Array("\(user):\(password)".utf8))
  }

  /// RFC 4648, 4.
  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
      for digit in 0..<4 {
        text.append(digit <= part.count ? digits[Int(bits >> (18 - 6 * UInt32(digit))) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
