#if HTTP
  internal import Foundation
  internal import RangeIOSupport

  /// The end of what a command says on its standard error, of which one line may be shown.
  final class CommandErrors: Sendable {
    /// For the command to write to.
    let pipe = Pipe()
    private let tail: Guarded<[UInt8]>
    private let hasEnded = DispatchSemaphore(value: 0)

    /// The most bytes that are kept.
    private static let limit = 4_096

    init() {
      let tail = Guarded<[UInt8]>([])
      self.tail = tail
      // Read while the command runs: it would wait for a pipe that is full. By a thread of its own: those of Dispatch wait for
      // the command. It ends with the last program that holds the pipe.
      Thread.detachNewThread { [hasEnded, handle = pipe.fileHandleForReading] in
        while true {
          let bytes = handle.availableData
          if bytes.isEmpty { break }
          tail.withLock { $0 = ($0 + bytes).suffix(Self.limit) }
        }
        hasEnded.signal()
      }
    }

    /// The last line as it may be shown; `nil` if nothing was said. Call it when the command has ended: a program that it leaves
    /// behind may hold the pipe open, so this waits for a second at most.
    func lastLine() -> String? {
      _ = hasEnded.wait(timeout: .now() + .seconds(1))
      let lines = tail.withLock { $0 }.split { $0 == 10 || $0 == 13 }.map { String(decoding: $0, as: UTF8.self) }
      return lines.last { !$0.allSatisfy(\.isWhitespace) }.map(Self.shown)
    }

    /// `line` with `…` for each word that may be secret, at most 200 characters of it.
    ///
    /// An allow list, as for URLs: shown are words of letters, short numbers, names of files without digits, and of URLs what
    /// ``ObjectURL/shown(_:)`` shows. A password of letters alone looks like a word.
    static func shown(_ line: String) -> String {
      String(line.split(whereSeparator: \.isWhitespace).map { shown(word: $0) }.joined(separator: " ").prefix(200))
    }

    private static func shown(word: Substring) -> String {
      if word.contains("://") {
        let start = word.firstIndex { $0.isLetter } ?? word.startIndex
        return word[..<start] + ObjectURL.shown(String(word[start...]))
      }
      let letters = word.count { $0.isLetter }
      let digits = word.count { $0.isNumber }
      let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "/._-,:;()'\"!".contains($0) }
      return isPlain && (digits == 0 || letters == 0 && digits <= 6) && word.count <= 40 ? String(word) : "…"
    }
  }
#endif
