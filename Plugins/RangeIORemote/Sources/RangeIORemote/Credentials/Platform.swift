#if HTTP
  internal import Foundation
  internal import RangeIO
  internal import RangeIOSupport

  /// One run of a program that prints credentials, by the shell. What it prints is read. What it says on its standard error
  /// may contain secrets: it is dropped, unless ``CredentialPlaces/Command/tellsErrors``.
  final class CommandRun: Sendable {
    private let command: CredentialPlaces.Command

    init(_ command: CredentialPlaces.Command) { self.command = command }

    #if os(macOS) || os(Linux)
      private struct State {
        var process: Process?
        var waiter: CheckedContinuation<[UInt8], any Error>?
        /// Why nothing waits for the command any more.
        var leftWith: (any Error)?
      }
      private let state = Guarded(State())

      /// Runs the command and returns what it prints, at most 64 KiB.
      ///
      /// - Throws: `permissionDenied` if it fails, `timedOut` after its time, `CancellationError`; the last two at once,
      ///   whatever the command and the programs that it has started do.
      func output() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { continuation in
            let leftWith = state.withLock { state in
              if state.leftWith == nil { state.waiter = continuation }
              return state.leftWith
            }
            if let leftWith { return continuation.resume(throwing: leftWith) }
            // A thread that may wait: the tasks' threads may not.
            DispatchQueue.global().async { [self] in
              let result = Result { try runHere() }
              state.withLock { $0.waiter.take() }?.resume(with: result)
            }
          }
        } onCancel: {
          leave(with: CancellationError())
        }
      }

      private func runHere() throws -> [UInt8] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command.text]
        process.standardInput = FileHandle.nullDevice
        let errors = command.tellsErrors ? CommandErrors() : nil
        if let errors { process.standardError = errors.pipe } else { process.standardError = FileHandle.nullDevice }
        process.standardOutput = output
        let isLeft = state.withLock { state in
          state.process = process
          return state.leftWith != nil
        }
        if isLeft { throw CancellationError() }
        do { try Self.withoutBlockedSignals(process.run) } catch { throw failed("cannot be started") }
        // Left between the two: there was no process to end yet.
        if state.withLock({ $0.leftWith != nil }) { Self.end(process) }
        let deadline = DispatchWorkItem { [weak self] in self?.tooLate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(command.timeLimit), execute: deadline)
        defer {
          deadline.cancel()
          state.withLock { $0.process = nil }
        }
        // `try?`: an output that cannot be read is one that is too short, which the parser reports.
        let bytes = [UInt8]((try? output.fileHandleForReading.read(upToCount: 65_536)) ?? Data())
        // A program that prints more is not waited for.
        if bytes.count == 65_536 { Self.end(process) }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
          throw failed("ended with status \(process.terminationStatus)\(errors?.lastLine().map { " (\($0))" } ?? "")")
        }
        return bytes
      }

      private func tooLate() {
        leave(
          with: ReadError(.timedOut, "\(command.name) took more than \(command.timeLimit) seconds: run it by hand"))
      }

      /// Answers the waiter and ends the command.
      private func leave(with error: any Error) {
        let (process, waiter) = state.withLock { state in
          if state.leftWith == nil { state.leftWith = error }
          return (state.process, state.waiter.take())
        }
        if let process { Self.end(process) }
        waiter?.resume(throwing: error)
      }

      /// Not by `terminate`, which a command may ignore. Ends what the command has started too, which keeps its output
      /// open: it is in a group of its own.
      private static func end(_ process: Process) {
        let id = process.processIdentifier
        guard id > 1 else { return }
        if kill(-id, SIGKILL) != 0, process.isRunning { kill(id, SIGKILL) }
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
      ReadError(.permissionDenied, "\(command.name) \(how): run it by hand")
    }
  }

#endif
