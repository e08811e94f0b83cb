#if HTTP && (os(macOS) || os(Linux))
  import Foundation
  import RangeIO
  import Testing

  @testable import RangeIORemote

  @Suite(.timeLimit(.minutes(2))) struct CommandRunTests {
    private func run(_ text: String, timeLimit: Int = 60) -> CommandRun {
      CommandRun(.init(text, name: "the program", timeLimit: timeLimit))
    }

    @Test func `what a command prints comes back`() async throws {
      let output = try await run("printf '%s' \"$((6 * 7))\"; echo dropped >&2").output()
      #expect(String(decoding: output, as: UTF8.self) == "42")
    }

    @Test func `a command that fails is an error without its text`() async {
      let error = await #expect(throws: ReadError.self) { _ = try await run("echo secret; exit 3").output() }
      #expect(error?.code == .permissionDenied && error?.message.contains("status 3") == true)
      #expect(error.map { !"\($0)".contains("secret") } == true)
    }

    @Test func `the last line of its errors is told if wanted, without what may be secret`() async {
      func message(_ errors: String) async -> String {
        let command = "printf '\(errors)' >&2; exit 3"
        let run = CommandRun(.init(command, name: "the program", tellsErrors: true))
        return await #expect(throws: ReadError.self) { _ = try await run.output() }?.message ?? ""
      }
      #expect(await message("first\\nno such object: 404\\n \\n").contains("status 3 (no such object: 404): run"))
      #expect(await message("").contains("status 3: run"))
      // More than a pipe holds.
      let long = "i=0; while [ $i -lt 3000 ]; do echo a line of errors that is dropped, all of it; i=$((i+1)); done >&2"
      let run = CommandRun(.init(long + "; echo the last >&2; exit 4", name: "the program", tellsErrors: true))
      let error = await #expect(throws: ReadError.self) { _ = try await run.output() }
      #expect(error?.message.contains("status 4 (the last)") == true)
    }

    @Test(arguments: [
      ("cannot open ./keys/service.json: No such file", "cannot open ./keys/service.json: No such file"),
      ("curl: (22) The requested URL returned error: 403", "curl: (22) The requested URL returned error: 403"),
      ("GET 'https://user:hunter2@h/a?sig=hunter2' failed", "GET 'https://h/a?… failed"),
      ("token hunter2 of me@h, key=abc and YWJj+Zg/== 123456789", "token … of … … and … …"),
      ("\u{1B}[31mred", "…"),
    ]) func `words that may be secret are hidden`(line: String, shown: String) {
      #expect(CommandErrors.shown(line) == shown)
    }

    @Test func `a command that prints without end is stopped`() async {
      let error = await #expect(throws: ReadError.self) { _ = try await run("exec yes").output() }
      #expect(error?.code == .permissionDenied)
    }

    @Test func `what a command has started is ended with it`() async throws {
      let pipe = FileManager.default.temporaryDirectory.appending(path: "rangeio-run-\(UUID())").path
      #expect(mkfifo(pipe, 0o600) == 0)
      defer { unlink(pipe) }
      // The shell waits for the second program, which has the output too.
      let task = Task { try await run("echo $$ > '\(pipe)'; sleep 600; true").output() }
      let shell = try await withCheckedThrowingContinuation { continuation in
        // Waits until the shell has opened the pipe.
        DispatchQueue.global().async {
          continuation.resume(
            with: Result { try FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd() ?? Data() })
        }
      }
      #expect(shell.last == UInt8(ascii: "\n"))
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `a command that hangs is ended with its read`() async throws {
      let task = Task { try await run("exec sleep 600").output() }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `a command that leaves a program behind with its output is ended with it`() async throws {
      let error = await #expect(throws: ReadError.self) {
        _ = try await run("sleep 600 & echo $!", timeLimit: 1).output()
      }
      #expect(error?.code == .timedOut)
    }

    @Test func `what a command has started is ended with its read`() async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("rangeio-\(UUID().uuidString)").path
      mkfifo(file, 0o600)
      defer { unlink(file) }
      // The reader of the pipe tells when the program runs, and when it has ended.
      let task = Task { try await run("{ echo started; exec sleep 600; } > '\(file)' & wait").output() }
      let (lines, told) = AsyncStream.makeStream(of: Int.self)
      Thread.detachNewThread {
        let descriptor = open(file, O_RDONLY)
        var buffer = [UInt8](repeating: 0, count: 64)
        var count = 0
        repeat {
          count = read(descriptor, &buffer, buffer.count)
          told.yield(count)
        } while count > 0
        close(descriptor)
        told.finish()
      }
      var counts = lines.makeAsyncIterator()
      #expect(await counts.next() == 8)
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(await counts.next() == 0)
    }
  }

#endif
