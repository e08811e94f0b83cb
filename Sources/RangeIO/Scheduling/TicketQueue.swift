/// Tickets in order, from which one in the middle is taken by counting it out: it is passed over when it is its turn.
struct TicketQueue<Ticket> {
  private var tickets: ContiguousArray<Ticket> = []
  private var head = 0
  /// Those in the queue that were not taken out.
  private(set) var count = 0

  mutating func append(_ ticket: Ticket) {
    tickets.append(ticket)
    count += 1
  }

  /// One was taken out, wherever it stands.
  mutating func removed() { count -= 1 }

  /// The first that `isThere`.
  mutating func first(where isThere: (Ticket) -> Bool) -> Ticket? {
    while head < tickets.count {
      if isThere(tickets[head]) { return tickets[head] }
      head += 1
    }
    return nil
  }

  /// Takes out the one that ``first(where:)`` returned.
  mutating func removeFirst() {
    head += 1
    count -= 1
    if head >= 64, head * 2 >= tickets.count {
      tickets.removeFirst(head)
      head = 0
    }
  }

  /// Forgets those that are not there, if they are many.
  mutating func compact(_ isThere: (Ticket) -> Bool) {
    guard tickets.count - head > 2 * count + 64 else { return }
    tickets = ContiguousArray(tickets[head...].lazy.filter(isThere))
    head = 0
  }
}
