extension S3FIFO {
  /// The most reads that the tuner is told of at once: this happens under two locks.
  private static let mostReadsTold = 64

  /// A policy that takes its parameters from a tuner.
  ///
  /// - Parameter settings: those of the tuner.
  static func tuned(capacity: Int, _ settings: PolicyTuner.Settings) -> S3FIFO {
    S3FIFO(capacity: capacity, settings.candidates[0], sample: .all(seed: settings.seed))
  }

  /// Tells the tuner of the store what was read, and takes over what it has decided. Called now and then, after an insertion.
  mutating func consult(_ tuner: inout PolicyTuner) {
    guard sample.isOn, count > 0 else { return }
    tuner.note(chunkWeight: Double(smallWeight + mainWeight) / Double(count))
    for _ in 0..<Self.mostReadsTold {
      guard let fingerprint = sample.next() else { break }
      tuner.read(fingerprint)
    }
    sample.set(level: tuner.level)
    if parameters != tuner.parameters { parameters = tuner.parameters }
  }

  /// The memory of the policy, in bytes.
  package var byteCount: Int {
    queues.byteCount + marks.capacity + details.capacity * MemoryLayout<Details>.stride + rememberedByteCount
  }

  /// The part of it that is about chunks that are not stored.
  var rememberedByteCount: Int { ghost.byteCount + sketch.byteCount }
}
