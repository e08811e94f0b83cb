#if HTTP

  /// A header field as it stands on the wire.
  public struct ServedField: Hashable, Sendable {
    /// Compared without regard to case.
    public var name: String
    /// Without spaces at its ends.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  extension [ServedField] {
    /// The first value of `name`. Setting puts it in place of all fields of that name; `nil` removes them.
    public subscript(name: String) -> String? {
      get { first { $0.name.lowercased() == name.lowercased() }?.value }
      set {
        removeAll { $0.name.lowercased() == name.lowercased() }
        if let newValue { append(ServedField(name, newValue)) }
      }
    }

    /// All values of `name`.
    public func values(_ name: String) -> [String] {
      filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
  }

#endif
