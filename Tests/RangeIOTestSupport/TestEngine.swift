import Foundation
import RangeIO
import SystemPackage

/// The engine that the tests of files run with: `RANGEIO_ENGINE`, automatic unless given, so that the whole suite can
/// be run on each. `direct`: the automatic one, past the page cache.
enum TestEngine {
  private static let name = ProcessInfo.processInfo.environment["RANGEIO_ENGINE"]
  static let pageCache: FileSource.PageCache = name == "direct" ? .bypass : .use

  static let current: FileSource.Engine = {
    guard let name, name != "direct" else { return .automatic }
    guard let engine = FileSource.Engine.allCases.first(where: { "\($0)" == name }) else {
      fatalError("RANGEIO_ENGINE: no engine \(name)")
    }
    return engine
  }()

  /// A configuration with that engine; with `engine`, if a test is about one, by way of the page cache.
  static func configuration(
    _ engine: FileSource.Engine? = nil, syscalls: Syscalls = .system, threads: IOThreads = .shared
  ) -> FileSource.Configuration {
    var configuration = FileSource.Configuration(
      engine: engine ?? current, pageCache: engine == nil ? pageCache : .use)
    configuration.syscalls = syscalls
    configuration.threads = threads
    return configuration
  }

  /// The file at `path`, read with that engine.
  static func file(_ path: String) -> FileSource { FileSource(path, configuration: configuration()) }

  static func file(_ path: FilePath) -> FileSource { FileSource(path, configuration: configuration()) }
}
