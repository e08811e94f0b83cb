import Link

// A link in a process of its own, so that neither the program that is measured nor the server pays for it.
//
//     LinkServer PORT MILLISECONDS BYTES-PER-SECOND
//
// Prints its port, then a line for each line of its input: the bytes up, the bytes down, those of them that have left the
// link, and the connections so far. Ends with its input.

let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
guard numbers.count == 3 else { fatalError("usage: LinkServer PORT MILLISECONDS BYTES-PER-SECOND") }
var link = LinkProxy.Link(roundTrip: .milliseconds(numbers[1]), bytesPerSecond: numbers[2])
link.chargesHandshake = true

let proxy = try await LinkProxy.start(to: Int(numbers[0]), link)
say("\(proxy.port)")
while readLine() != nil { say("\(proxy.bytesUp) \(proxy.bytesDown) \(proxy.bytesDelivered) \(proxy.connections)") }
try await proxy.stop()
