import FormatSupport
import RangeIO
import ZIPFormat

// Lists a ZIP file, or writes one of its entries to standard output.
await runProgram("remote-zip", usage: "FILE|URL [ENTRY]", 0...1, opening: ZIPArchive.opening) { reader, arguments in
  let archive = try await ZIPArchive(reader)
  if let name = arguments.first {
    try await archive.extract(try archive.entry(named: name)) { try writeOutput($0) }
    return
  }
  if !archive.comment.isEmpty { print("comment: \(printable(String(decoding: archive.comment, as: UTF8.self)))") }
  print("bytes\tcompressed\tmethod\tcrc-32\tname")
  for entry in archive.entries {
    let digits = String(entry.crc32, radix: 16)
    let crc = String(repeating: "0", count: 8 - digits.count) + digits
    print("\(entry.size)\t\(entry.compressedSize)\t\(entry.method)\t\(crc)\t\(printable(entry.name))")
  }
}
