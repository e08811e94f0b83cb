import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What each policy keeps, as a number that every other decision of it would change: over reads of which some keys are read often,
/// scans, removals, new sizes and new limits, drawn from a seed.
///
/// If you change a policy on purpose, judge that with traces (`rangeio replay`), and then put the new number here.
struct EvictionGoldenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let digest: UInt64
    let make: @Sendable (Int) -> any EvictionPolicy
    var testDescription: String { name }
  }

  private static func queues(_ share: Int, _ promotion: QueueParameters.Promotion, _ digest: UInt64) -> Case {
    let parameters = QueueParameters(smallShare: share, promotion: promotion)
    return Case(name: parameters.name, digest: digest) { S3FIFO(capacity: $0, parameters) }
  }

  static let cases = [
    Case(name: "LRU", digest: 0x1F3A_A9E6_DB13_B70D) { LRU(capacity: $0) },
    Case(name: "SIEVE", digest: 0xE825_4C84_00E8_690D) { SIEVE(capacity: $0) },
    queues(100, .reads(2), 0x3875_70C2_D697_9916),
    queues(200, .reads(1), 0x5376_D7C9_5E88_167D),
    queues(500, .readsAfterWindow(1), 0xEC5C_7BC9_5007_35DD),
    queues(10, .frequency(lead: 0), 0x7AA5_960E_83A7_D040),
    queues(250, .frequency(lead: 1), 0xB3F4_FE63_CE79_AE11),
    queues(0, .always, 0xA67D_2C0F_A92D_6A90),
    Case(name: "tuned", digest: 0x460C_E40B_3D32_BA39) { SelfTuned(.adaptive, capacity: $0) },
  ]

  @Test(arguments: cases) func `a policy keeps what it kept`(_ policy: Case) throws {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    func note(_ number: Int) { digest = (digest ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01B3 }
    // Of one size, of many, and so few chunks that the queues are tiny.
    for (heaviest, keys, chunks) in [(1, 1500, 400), (40, 1500, 300), (3, 60, 20)] {
      var random = TestRandom(UInt64(heaviest))
      let capacity = chunks * (heaviest + 1) / 2
      var shard = PolicyShard(policy.make(capacity))
      var scan = 0
      for step in 0..<30_000 {
        // What is read often changes once; a third of the reads are one scan.
        let hot = min(random.below(keys), random.below(keys), random.below(keys)) + (step > 18_000 ? keys / 2 : 0)
        if random.below(3) == 0 { scan += 1 }
        let key = UInt64(random.below(3) == 0 ? 10_000 + scan % (4 * keys) : hot)
        switch random.below(60) {
        case 0: try shard.remove(key)
        case 1: try shard.reweigh(key, weight: 1 + random.below(heaviest))
        case 2 where random.below(200) == 0: try shard.resize(capacity * (50 + random.below(100)) / 100)
        default: try shard.access(key, weight: 1 + Int(key) % heaviest)
        }
        if step % 16 == 0 { note(shard.hits &* 31 &+ shard.count) }
      }
      note(shard.weight)
      if let queues = shard.policy as? S3FIFO { note(queues.rememberedByteCount) }
    }
    #expect(digest == policy.digest, "now 0x\(String(digest, radix: 16))")
  }
}
