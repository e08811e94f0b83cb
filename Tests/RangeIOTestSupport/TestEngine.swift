import Foundation
import RangeIO
import SystemPackage

/// The engine that the tests of files run with: `RANGEIO_ENGINE`, automatic unless given, so that the whole suite can
/// be run on each.
enum TestEngine {
  static let current: FileSource.Engine = {
    guard let name = ProcessInfo.processInfo.environment["RANGEIO_ENGINE"] else { return .automatic }
    guard let engine = FileSource.Engine.allCases.first(where: { $0.name == name }) else {
      fatalError("RANGEIO_ENGINE: no engine \(name)")
    }
    return engine
  }()

  /// The engines that read by way of the page cache.
  static let cached = FileSource.Engine.allCases.filter { $0 != .direct }

  /// A configuration with that engine, or with `engine`, if a test is about one.
  static func configuration(
    _ engine: FileSource.Engine? = nil, syscalls: Syscalls = .system, threads: IOThreads = .shared
  ) -> FileSource.Configuration {
    var configuration = FileSource.Configuration(engine: engine ?? current)
    configuration.syscalls = syscalls
    configuration.threads = threads
    return configuration
  }

  /// The file at `path`, read with that engine.
  static func file(_ path: String) -> FileSource { FileSource(path, configuration: configuration()) }

  static func file(_ path: FilePath) -> FileSource { FileSource(path, configuration: configuration()) }
}
