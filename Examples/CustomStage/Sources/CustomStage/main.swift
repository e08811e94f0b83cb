import RangeIO

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads the file at `path` through the stage, at random and as a stream, and compares it with `plain`.
func readsBackRight(_ path: String, _ key: UInt8, _ plain: [UInt8]) async -> Bool {
  do {
    let reader = try await RangeReader(FileSource(path), [.stage(Unscrambling(key: key))])
    let middle = try await reader.read(400_000..<500_000)
    var streamed: [UInt8] = []
    for try await piece in reader.stream() { streamed += piece }
    await reader.close()
    return middle.elementsEqual(plain[400_000..<500_000]) && streamed == plain
  } catch {
    print(error)
    return false
  }
}

// Makes a scrambled file, reads it through the stage, and checks what comes out.
let key: UInt8 = 0x5A
let plain = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
let path = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/rangeio-scrambled-\(getpid())"

guard let file = fopen(path, "wx") else {
  print("cannot make \(path)")
  exit(1)
}
let written = plain.map { $0 ^ key }.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
let isClosed = fclose(file) == 0
let isRight = isClosed && written == plain.count ? await readsBackRight(path, key, plain) : false
remove(path)
print(isRight ? "read \(plain.count) scrambled bytes, every one right" : "the bytes are wrong")
exit(isRight ? 0 : 1)
