/// Tickets in the order they came. A ticket that is removed from the middle is only uncounted, and skipped later.
///
/// Each call takes constant time, on average; the memory is for at most twice as many tickets as were not removed, and 64.
package struct TicketQueue<Ticket> {
  private var tickets: ContiguousArray<Ticket> = []
  private var head = 0
  /// The number of tickets that were not removed.
  package private(set) var count = 0

  package init() {}

  /// The number of tickets, including removed ones that were not skipped yet.
  package var placeCount: Int { tickets.count - head }

  package mutating func append(_ ticket: Ticket) {
    tickets.append(ticket)
    count += 1
  }

  /// A ticket was removed, wherever it stands.
  package mutating func removed() { count -= 1 }

  /// The first ticket for which `isThere` is true. Forgets those before it.
  package mutating func first(where isThere: (Ticket) -> Bool) -> Ticket? {
    while head < tickets.count {
      if isThere(tickets[head]) { return tickets[head] }
      head += 1
    }
    return nil
  }

  /// Removes the ticket that ``first(where:)`` returned.
  package mutating func removeFirst() {
    head += 1
    count -= 1
    if head >= 64, head * 2 >= tickets.count {
      tickets.removeFirst(head)
      head = 0
    }
  }

  /// Forgets the tickets for which `isThere` is false, if they are many. Call it when one was removed or added.
  package mutating func compact(_ isThere: (Ticket) -> Bool) {
    guard placeCount > 2 * count + 64 else { return }
    tickets = ContiguousArray(tickets[head...].lazy.filter(isThere))
    head = 0
  }
}
