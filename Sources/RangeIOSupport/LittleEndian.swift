extension [UInt8] {
  /// Appends the bytes of `number`, the lowest first.
  public mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
