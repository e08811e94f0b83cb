extension String {
  /// `true` if both have the same UTF-8. `==` also finds `é` as one character equal to `é` as two.
  public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// `true` if the UTF-8 of this text comes first, byte by byte.
  public func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
