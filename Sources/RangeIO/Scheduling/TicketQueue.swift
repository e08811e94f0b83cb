/// Tickets in order. A ticket removed from the middle is only uncounted, and skipped when its turn comes.
struct TicketQueue<Ticket> {
  private var tickets: ContiguousArray<Ticket> = []
  private var head = 0
  /// The number of tickets that were not removed.
  private(set) var count = 0

  mutating func append(_ ticket: Ticket) {
    tickets.append(ticket)
    count += 1
  }

  /// A ticket was removed, wherever it stands.
  mutating func removed() { count -= 1 }

  /// The first ticket for which `isThere` is true.
  mutating func first(where isThere: (Ticket) -> Bool) -> Ticket? {
    while head < tickets.count {
      if isThere(tickets[head]) { return tickets[head] }
      head += 1
    }
    return nil
  }

  /// Removes the ticket that ``first(where:)`` returned.
  mutating func removeFirst() {
    head += 1
    count -= 1
    if head >= 64, head * 2 >= tickets.count {
      tickets.removeFirst(head)
      head = 0
    }
  }

  /// Drops the tickets for which `isThere` is false, if they are many.
  mutating func compact(_ isThere: (Ticket) -> Bool) {
    guard tickets.count - head > 2 * count + 64 else { return }
    tickets = ContiguousArray(tickets[head...].lazy.filter(isThere))
    head = 0
  }
}
