import RangeIO

// The same as in RangeIO, once more: the compiler (6.3) specializes generic code of another module only if it is public. What is not
// asks for the layout of its types with each call, 5% of a hit on a disk. Calls in this module find these, which hide the others; tests that
// see both modules find the others, since these are disfavored.

#if !RANGEIO_COUNT_LOCKS
  extension Locked where Value: ~Copyable {
    @_disfavoredOverload @inline(__always) borrowing func withLock<Result: ~Copyable, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
      word.lock()
      defer { word.unlock() }
      let address = withUnsafePointer(to: value) {
        UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Value.self)
      }
      return try body(&address.pointee)
    }
  }
#endif

extension ThreadGroups {
  @_disfavoredOverload @inline(__always)
  func withOwn<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    own.assumingMemoryBound(to: Locked<Value>.self).pointee.withLock(body)
  }
}
