import Testing

/// What `Package.swift` does for the builds of `scripts/built.sh`.
struct CheckedBuildTests {
  @Test func `what is optimised asserts all the same`() async {
    await #expect(processExitsWith: .failure) { assert(CommandLine.arguments.isEmpty, "is asserted") }
  }
}
