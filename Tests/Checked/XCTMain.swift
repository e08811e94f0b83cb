// Where the tests of a checked build begin. Without this file SwiftPM looks for tests of XCTest, of which there are none, in an
// index of all sources, and to make that takes a tenth of the time of the build. It is found beside the folder of a target that
// a checked build alone has: with it, a plain `swift test` would run nothing.
import Testing

@main struct Tests {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
