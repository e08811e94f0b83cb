#if Tool
import Foundation

/// What the environment asks of the tests.
enum Environment {
  /// `RANGEIO_ENGINE`: the engine to test, or nil for the default one.
  static let engine = ProcessInfo.processInfo.environment["RANGEIO_ENGINE"].flatMap { $0.isEmpty ? nil : $0 }
  /// `RANGEIO_STRESS`: whether long runs are wanted.
  static let isStress = ProcessInfo.processInfo.environment["RANGEIO_STRESS"] != nil

  /// Whether this is a sanitizer's build, which takes many times the memory.
  static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in
    dlsym(dlopen(nil, RTLD_NOW), name) != nil
  }
}
#endif
