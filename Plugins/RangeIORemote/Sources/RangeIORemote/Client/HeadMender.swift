#if HTTP
  internal import NIOCore

  /// Passes bytes on from the network to the parser, with each head as the parser takes it (``MendedHead``). Bodies pass
  /// as they are.
  ///
  /// Nearly all heads come in one piece, and nothing of them is copied. Of others the beginning is held until the rest is
  /// there: no more than ``AnswerWatch`` permits of what is no body.
  struct HeadMender {
    private var isHead = false
    private var scan = HeadScan()
    private var held: ByteBuffer?

    /// A request is sent: its answer begins with a head.
    mutating func expectHead() { (isHead, scan, held) = (true, HeadScan(), nil) }

    /// Returns what is for the parser now; `nil`: nothing.
    mutating func received(_ new: ByteBuffer) -> ByteBuffer? {
      guard isHead else { return new }
      var bytes = new
      // Taken, so that what is written to it moves nothing.
      if var held = held.take() {
        held.writeBuffer(&bytes)
        bytes = held
      }
      var mended = ByteBuffer()
      /// The bytes that pass as they are.
      var passing = 0
      while isHead {
        switch advance(over: bytes.readableBytesView.dropFirst(passing + scan.count)) {
        case .more:
          held = bytes.getSlice(at: bytes.readerIndex + passing, length: bytes.readableBytes - passing)
          bytes.moveWriterIndex(to: bytes.readerIndex + passing)
          return joined(mended, bytes)
        case .refused: isHead = false
        case .end:
          let head = bytes.readableBytesView.dropFirst(passing).prefix(scan.count)
          isHead = MendedHead.isInterim(head)
          if scan.isOdd, let other = MendedHead.of(head) {
            mended.writeBytes(bytes.readableBytesView.prefix(passing))
            mended.writeBytes(other)
            bytes.moveReaderIndex(forwardBy: passing + scan.count)
            passing = 0
          } else {
            passing += scan.count
          }
          scan = HeadScan()
        }
      }
      return joined(mended, bytes)
    }

    /// The connection ends: what is still held.
    mutating func ended() -> ByteBuffer? { held.take() }

    private mutating func advance(over bytes: ByteBufferView) -> HeadScan.Step {
      // Of its memory: the view is asked for each byte otherwise.
      bytes.withUnsafeBytes { bytes in
        for byte in bytes {
          let step = scan.take(byte)
          if step != .more { return step }
        }
        return .more
      }
    }

    private func joined(_ first: ByteBuffer, _ second: ByteBuffer) -> ByteBuffer? {
      guard first.readableBytes > 0 else { return second.readableBytes > 0 ? second : nil }
      var (first, second) = (first, second)
      first.writeBuffer(&second)
      return first
    }
  }
#endif
