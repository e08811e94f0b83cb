#if S3
  internal import Foundation
  internal import RangeIO

  /// One run of a `credential_process`, by the shell, as the AWS tools run it. What it prints is read; what it says on its
  /// standard error is dropped, because it may contain secrets.
  final class CommandRun: Sendable {
    /// The most seconds that a command may take. It is long, because the user may have to type a code.
    static let timeLimit = 60

    private let command: String

    init(_ command: String) { self.command = command }

    #if os(macOS) || os(Linux)
      private struct State {
        var process: Process?
        var isLeft = false
        var isLate = false
      }
      private let state = Guarded(State())

      /// Runs the command and returns what it prints, at most 64 KiB.
      ///
      /// - Throws: `permissionDenied` if it fails, `timedOut` after 60 seconds, `CancellationError`.
      func output() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { continuation in
            // A thread that may wait: the tasks' threads may not.
            DispatchQueue.global().async { [self] in
              continuation.resume(with: Result { try runHere() })
            }
          }
        } onCancel: {
          leave { $0.isLeft = true }
        }
      }

      private func runHere() throws -> [UInt8] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardOutput = output
        let isLeft = state.withLock { state in
          state.process = process
          return state.isLeft
        }
        if isLeft { throw CancellationError() }
        do { try Self.withoutBlockedSignals(process.run) } catch { throw failed("cannot be started") }
        // Cancelled between the two: there was no process to end yet.
        if state.withLock({ $0.isLeft }) { Self.end(process) }
        let deadline = DispatchWorkItem { [weak self] in self?.leave { $0.isLate = true } }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.timeLimit), execute: deadline)
        defer { deadline.cancel() }
        // `try?`: an output that cannot be read is one that is too short, which the parser reports.
        let bytes = [UInt8]((try? output.fileHandleForReading.read(upToCount: 65_536)) ?? Data())
        // A program that prints more is not waited for.
        if bytes.count == 65_536 { Self.end(process) }
        process.waitUntilExit()
        let (left, late) = state.withLock { ($0.isLeft, $0.isLate) }
        if left { throw CancellationError() }
        if late {
          throw ReadError(.timedOut, "the credential_process took more than \(Self.timeLimit) seconds: run it by hand")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
          throw failed("ended with status \(process.terminationStatus)")
        }
        return bytes
      }

      private func leave(_ why: (inout State) -> Void) {
        let process = state.withLock { state in
          why(&state)
          return state.process
        }
        if let process { Self.end(process) }
      }

      /// Not by `terminate`, which a command may ignore. With all that it has started, which has the output open too: it
      /// is a group of processes.
      private static func end(_ process: Process) {
        let number = process.processIdentifier
        guard process.isRunning, number > 0 else { return }
        if getpgid(number) == number { kill(-number, SIGKILL) } else { kill(number, SIGKILL) }
      }

      /// Threads of Dispatch block signals, and a process inherits that: it could not be interrupted.
      private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
      }
    #else
      /// There are no other programs on this platform.
      func output() async throws -> [UInt8] { throw failed("cannot be run on this platform") }
    #endif

    private func failed(_ how: String) -> ReadError {
      // Not the command: it may contain a secret.
      ReadError(.permissionDenied, "the credential_process of the profile \(how): run it by hand")
    }
  }

#endif
