#if Serve
  /// In which order a page shows a listing: folders first, and both by a column. The links in the head of each column ask for
  /// it: `?sort=size&order=desc`.
  struct ListingOrder: Equatable {
    enum Column: String, CaseIterable {
      case name, size, changed
    }

    let column: Column
    let isDescending: Bool

    init(_ target: RequestTarget) {
      column = target.parameter("sort").flatMap { Column(rawValue: $0) } ?? .name
      isDescending = target.parameter("order") == "desc"
    }

    /// - Parameter entries: in the order of their names.
    func sorted(_ entries: [ServedItem.Entry]) -> [ServedItem.Entry] {
      sortedByColumn(entries.filter(\.isDirectory)) + sortedByColumn(entries.filter { !$0.isDirectory })
    }

    private func sortedByColumn(_ entries: [ServedItem.Entry]) -> [ServedItem.Entry] {
      switch column {
      case .name: isDescending ? entries.reversed() : entries
      case .size: sorted(entries, by: \.byteCount)
      case .changed: sorted(entries, by: \.modifiedSecondsSince1970)
      }
    }

    /// What is equal stays in the order of names. What is not known comes last.
    private func sorted(_ entries: [ServedItem.Entry], by key: (ServedItem.Entry) -> Int?) -> [ServedItem.Entry] {
      let unknown = isDescending ? Int.min : .max
      return entries.sorted { first, second in
        let (first, second) = (key(first) ?? unknown, key(second) ?? unknown)
        return isDescending ? first > second : first < second
      }
    }

    /// The query that asks for this order; empty for the usual one.
    var query: String { Self.query(column, isDescending) }

    /// The query of the link in the head of `other`: the other way round if it is that of the present order; else from A to Z,
    /// and from the largest and the latest on.
    func query(of other: Column) -> String { Self.query(other, other == column ? !isDescending : other != .name) }

    private static func query(_ column: Column, _ isDescending: Bool) -> String {
      guard column != .name || isDescending else { return "" }
      return "sort=\(column.rawValue)" + (isDescending ? "&order=desc" : "")
    }
  }
#endif
