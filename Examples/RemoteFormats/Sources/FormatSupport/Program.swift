import RangeIO
import RangeIORemote

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs a program: opens the file or URL that its first argument names, runs `body`, prints to standard error what that
/// cost, and exits.
///
/// - Parameters:
///   - usage: the arguments, for people.
///   - counts: how many arguments may follow the first.
///   - opening: the first bytes that are read.
///   - body: gets the reader, and the arguments after the first.
package func runProgram(
  _ name: String, usage: String, _ counts: ClosedRange<Int>, opening: RemoteOpening,
  _ body: @Sendable (RangeReader, [String]) async throws -> Void
) async -> Never {
  let arguments = Array(CommandLine.arguments.dropFirst())
  guard let place = arguments.first, counts.contains(arguments.count - 1) else {
    printError("usage: \(name) \(usage)")
    exit(EX_USAGE)
  }
  var status = EXIT_SUCCESS
  do {
    let reader = try await openReader(place, opening)
    do {
      try await body(reader, Array(arguments.dropFirst()))
      printError("\(name): \(cost(of: reader))")
    } catch {
      printError("\(name): \(explanation(of: error, reader))")
      status = EXIT_FAILURE
    }
    await reader.close()
  } catch {
    printError("\(name): \(error)")
    status = EXIT_FAILURE
  }
  exit(status)
}

/// An error with the name of the source, which RangeIO's errors of reading have by themselves. A `Bytes.Cursor` does not
/// know whose bytes it parses.
private func explanation(of error: any Error, _ reader: RangeReader) -> String {
  error is FormatError || (error as? ReadError)?.source == nil ? "\(reader.source.name): \(error)" : "\(error)"
}

private func printError(_ line: String) {
  var line = line + "\n"
  // Nothing can be done about an error that cannot be printed.
  line.withUTF8 { _ = try? write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
}

/// Writes bytes as they are to standard output.
package func writeOutput(_ bytes: Bytes) throws {
  try bytes.forEachSpan { span in
    // The pointer is used within the call only.
    try span.withUnsafeBytes { try write($0, to: STDOUT_FILENO) }
  }
}

private func write(_ memory: UnsafeRawBufferPointer, to descriptor: CInt) throws {
  var rest = memory[...]
  while !rest.isEmpty {
    let part = UnsafeRawBufferPointer(rebasing: rest)
    #if canImport(Darwin)
      let count = Darwin.write(descriptor, part.baseAddress, part.count)
    #elseif canImport(Glibc)
      let count = Glibc.write(descriptor, part.baseAddress, part.count)
    #else
      let count = Musl.write(descriptor, part.baseAddress, part.count)
    #endif
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { throw OutputError(number: errno) }
    rest = rest.dropFirst(count)
  }
}

/// Standard output took no more bytes.
struct OutputError: Error, CustomStringConvertible {
  let number: CInt
  var description: String { "cannot write to the output: \(String(cString: strerror(number)))" }
}

/// Text from a file, with the control characters escaped, so that it does not steer the terminal.
package func printable(_ text: String) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
      shown += scalar.escaped(asASCII: true)
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}
