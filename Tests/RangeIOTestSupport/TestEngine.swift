import Foundation
import RangeIO

/// The engine that the tests of files run with: `RANGEIO_ENGINE`, automatic unless given, so that the whole suite can
/// be run on each.
enum TestEngine {
  static let current: FileSource.Engine = {
    guard let name = ProcessInfo.processInfo.environment["RANGEIO_ENGINE"] else { return .automatic }
    guard let engine = FileSource.Engine.allCases.first(where: { "\($0)" == name }) else {
      fatalError("RANGEIO_ENGINE: no engine \(name)")
    }
    return engine
  }()

  /// A configuration with that engine.
  static func configuration(
    _ engine: FileSource.Engine = current, syscalls: Syscalls = .system, threads: IOThreads = .shared
  ) -> FileSource.Configuration {
    var configuration = FileSource.Configuration(engine: engine)
    configuration.syscalls = syscalls
    configuration.threads = threads
    return configuration
  }
}
