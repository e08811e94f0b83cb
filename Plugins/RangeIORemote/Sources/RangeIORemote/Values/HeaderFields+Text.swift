extension HeaderFields.Field {
  /// Fields whose values hold no secret: of requests, and of answers.
  private static let open: Set<String> = [
    "accept", "accept-encoding", "accept-ranges", "age", "cache-control", "content-encoding", "content-length",
    "content-range", "content-type", "date", "etag", "expires", "host", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "last-modified", "pragma", "range", "retry-after", "server",
    "user-agent", "vary",
  ]

  /// `true` if texts may show the value. Other fields may carry credentials, under names that only the server knows.
  var isOpen: Bool { Self.open.contains(name.lowercased()) }
}

extension HeaderFields.Field: CustomStringConvertible, CustomReflectable {
  /// `Range: bytes=0-99`, but `Authorization: …`: only values of fields that never carry a secret are shown.
  public var description: String { "\(name): \(isOpen ? value : "…")" }

  /// Shows no children: `dump` prints ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
  /// All fields, without what may be a secret.
  public var description: String { "[\(all.map(\.description).joined(separator: ", "))]" }

  /// Shows no children: `dump` prints ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestPlan: CustomReflectable {
  /// The method, the URL and the fields, without what may be a secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method.rawValue, "url": url.description, "fields": fields.description])
  }
}
