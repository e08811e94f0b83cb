@testable import RangeIOFuzzTargets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A program of libFuzzer. It feeds the target that `RANGEIO_FUZZ_TARGET` names; without one it names all.
// With `RANGEIO_FUZZ_SEEDS` it writes what to begin with into that folder instead.

/// The target that is fed.
private let target: FuzzTarget = {
  guard let name = variable("RANGEIO_FUZZ_TARGET") else {
    for target in FuzzTargets.all { print(target.name) }
    exit(0)
  }
  guard let target = FuzzTargets.named(name) else { fatalError("there is no target '\(name)'") }
  if let folder = variable("RANGEIO_FUZZ_SEEDS") {
    for (number, seed) in target.seeds.enumerated() {
      guard let file = fopen("\(folder)/seed-\(number)", "w") else { fatalError("cannot write to \(folder)") }
      fwrite(seed, 1, seed.count, file)
      fclose(file)
    }
    exit(0)
  }
  return target
}()

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Called once by libFuzzer, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  _ = target
  return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError("\(target.name): \(error)")
  }
  return 0
}

/// What the `main` of libFuzzer calls.
@_silgen_name("LLVMFuzzerRunDriver")
private func run(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ feed: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM calls the `main` of a program after its module.
@_cdecl("Fuzzer_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
  var (count, arguments) = (count, arguments)
  return run(&count, &arguments, feed)
}
