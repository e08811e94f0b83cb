// What the samples of the pages use and do not declare: see scripts/check-samples.sh. Type-checked only, never run.
import RangeIO
import RangeIOTiers

func sample<Value>() -> Value { fatalError("never run") }

let reader: RangeReader = sample()
let survey: RangeReader = sample()
let index: RangeReader = sample()
let store = MemoryStore(limit: .mebibytes(256))
let source: FileSource = sample()
let bucketObject: FileSource = sample()

let header: Bytes = sample()
let range = 0..<4096
let start = 0
let length = 16
let path = "file"
nonisolated(unsafe) var total = 0
nonisolated(unsafe) var newlines = 0

struct Tile: Sendable {
  let range: Range<Int>
}
let tile = Tile(range: range)
func draw(_ tile: Bytes) {}
func decode(_ piece: Bytes) {}
func show(_ bytes: Bytes) {}

actor Recorder {
  var hasStopped: Bool { true }
}
let recorder = Recorder()

extension Bytes {
  var indexRange: Range<Int> { 0..<4096 }
}

let digests: [[UInt8]] = []
let sha256: @Sendable (Bytes) -> [UInt8] = { _ in [] }

/// The codec of the guide, which needs a library that is not here.
struct ZstdCodec: ChunkCodec {
  var level: CInt = 3
  var id: UInt8 { 128 }
  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? { nil }
  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool { false }
}

struct NotAZIPFile: Error {}
