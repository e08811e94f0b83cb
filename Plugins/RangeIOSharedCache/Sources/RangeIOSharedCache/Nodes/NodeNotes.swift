#if SharedCache

  /// The faults of a node that answers all the same.
  struct NodeNotes: Hashable, Sendable {
    /// There is a login, and the node does not ask for one.
    var needsNoLogin = false
    /// It refuses keys that another node of its cluster has.
    private var elsewhere: String?
    /// It refuses values.
    private var puts: String?

    /// For a person; `nil`: nothing.
    var text: String? {
      needsNoLogin
        ? "it asks for no password, and was not sent yours: is it the node that you mean? Start it with -Y, or set none"
        : elsewhere ?? puts
    }

    /// True if `refusal` is of some keys only, so that the node is as good as before.
    static func isOfKey(_ refusal: String) -> Bool {
      ["MOVED ", "ASK ", "TRYAGAIN"].contains { refusal.hasPrefix($0) }
    }

    /// It has refused something that is no look-up, or a key that it does not have.
    mutating func note(_ refusal: String) {
      let text = FaultText.of(refusal: refusal)
      if Self.isOfKey(refusal) { elsewhere = text } else { puts = text }
    }

    /// It has taken a value.
    mutating func stored() { puts = nil }
  }
#endif
