// A program for tests that dies: writes blocks to a spill directory, and says on standard output what is on the disk.
//
//   SpillWriter write DIRECTORY SEED [WRITE]    until it is killed; at its WRITE-th write, by itself, in the middle of it
//   SpillWriter exercise DIRECTORY              all that a store does with a directory, once, and ends
//   SpillWriter verify DIRECTORY JOURNAL        opens the directory, and compares it with what was said
let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("write", 3), ("write", 4):
  let numbers = arguments.dropFirst(2).map { UInt64($0)! }
  var writer = EndlessWriter(arguments[2], seed: numbers[0], tornWrite: numbers.count > 1 ? Int(numbers[1]) : nil)
  try await writer.run()
case ("exercise", 2): try await Exercise(arguments[2]).run()
case ("verify", 3): try await Verification(arguments[2], journal: arguments[3]).run()
default: fatalError("write DIRECTORY SEED [WRITE] | exercise DIRECTORY | verify DIRECTORY JOURNAL")
}
