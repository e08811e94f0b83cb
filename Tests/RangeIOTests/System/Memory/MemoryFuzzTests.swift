import Foundation
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Whatever the kernel's files hold, reading them ends, and traps nowhere.
@Suite struct MemoryFuzzTests {
  /// A trap names no seed, and all but the last are known. Not buffered, or a trap would take it along.
  private static let lastSeed: Void = FileHandle.standardError.write(
    Data("MemoryFuzzTests: last seed \(testSeeds[testSeeds.count - 1])\n".utf8))

  init() { Self.lastSeed }

  private static let samples = [
    FakeSystem.mounts, "0::/a/b\n4:cpu,memory:/c\n", FakeSystem.stalls(some: "12.34", full: "0.00"), "max\n",
    "9223372036854771712\n", "inactive_file 12\ntotal_inactive_file 1\nhierarchical_memory_limit 4096\n",
    #"1 2 0:3 /..\040 /\134 rw x:1 - cgroup cgroup rw,memory"#,
  ].map { Array($0.utf8) }

  /// Bytes at random, or a sample with some of them.
  private func bytes(_ random: inout TestRandom) -> [UInt8] {
    guard random.below(4) > 0 else { return random.array(random.below(300)) }
    var bytes = Self.samples[random.below(Self.samples.count)]
    for _ in 0..<random.below(8) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      switch random.below(4) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(Array(" \n:/\\.,=-0789".utf8).randomElement(using: &random) ?? 0, at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  @Test(arguments: testSeeds)
  func `no text makes a parser trap`(seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<60 {
      let text = KernelText(bytes(&random)[...])
      _ = (text.number, text.number(of: "inactive_file"), StallShares(text))
      if let part = text.percentage { #expect(0...1 ~= part, "seed \(seed)") }
      #expect(text.unescaped.bytes.count <= text.bytes.count, "seed \(seed)")
      let mounts = ControlGroupMount.all(in: text) + ControlGroupMount.all(in: KernelText(bytes(&random)[...]))
      _ = ControlGroup.all(KernelText(bytes(&random)[...]), mounts)
    }
  }

  @Test(arguments: testSeeds)
  func `no system makes a look trap`(seed: UInt64) throws {
    var random = TestRandom(seed)
    let system = try FakeSystem()
    let group = "/sys/fs/cgroup/a/b/"
    let paths = [
      "/proc/self/mountinfo", "/proc/self/cgroup", "/proc/pressure/memory", group + "memory.max",
      group + "memory.current", group + "memory.stat", group + "memory.pressure", "/sys/fs/cgroup/a/memory.high",
    ]
    for (path, sample) in zip(paths, [0, 1, 2, 4, 4, 5, 2, 4]) { try system.set(path, Self.samples[sample]) }
    for _ in 0..<20 {
      try system.set(paths[random.below(paths.count)], bytes(&random))
      let meter = MemoryMeter(system.files)
      let reading = meter.read()
      if let used = reading.used { #expect(used >= 0 && used.isFinite, "seed \(seed)") }
      #expect((meter.limit ?? 0) >= 0, "seed \(seed)")
    }
  }
}
