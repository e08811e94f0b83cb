import Dispatch

/// The queue that runs the main actor. On Linux its thread is not the main thread, once the program waits in an
/// asynchronous `main`.
enum MainQueue {
  private final class Mark: @unchecked Sendable {
    // Unchecked: a key is an address, no more.
    let key = DispatchSpecificKey<Bool>()
    init() { DispatchQueue.main.setSpecific(key: key, value: true) }
  }
  private static let mark = Mark()

  /// This thread runs it now, also where a task has begun on it that counts as being elsewhere.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark.key) != nil }
}
