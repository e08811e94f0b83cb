import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One line on the terminal that says what is going on; nothing at all when nobody watches.
struct Progress: Sendable {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    guard isShown else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  func clear() { show("") }
}
