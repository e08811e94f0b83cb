/// Receives the chunks that a tier evicts.
package protocol EvictionSink: AnyObject, Sendable {
  /// Takes chunks, or drops them.
  ///
  /// Must be quick, must not wait and must not call a store: it may be called under the lock of the place that the
  /// chunks leave, so that a look-up always finds them in one place or the other.
  func take(_ chunks: ArraySlice<Chunk>)

  /// Called after ``take(_:)``, outside of locks. Continues with the chunks that were taken.
  func proceed()

  /// The encoding in which chunks may come. By default `nil`: they may not come encoded.
  var takesEncodedBy: ChunkEncoding? { get }
}

extension EvictionSink {
  var takesEncodedBy: ChunkEncoding? { nil }
}

/// A reference to a sink that can be published atomically.
package final class EvictionSinkBox: Sendable {
  package let outlet: any EvictionSink

  package init(_ outlet: any EvictionSink) { self.outlet = outlet }
}
