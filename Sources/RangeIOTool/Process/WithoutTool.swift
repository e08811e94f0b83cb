#if !Tool
import SystemPackage

/// The program without its trait: it says how to build it.
@main
enum WithoutTool {
  static func main() {
    let message = "rangeio: built without the tool: build it with --traits Tool, or with 'make install'\n"
    // Reason: where standard error is closed there is nowhere to say it, and the exit code tells as well.
    _ = try? FileDescriptor.standardError.writeAll(message.utf8)
    exit(2)
  }
}
#endif
