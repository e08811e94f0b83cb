#if Encrypted
  import RangeIOTesting
  import Testing

  @testable import RangeIO
  @testable import RangeIOEncrypted
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// No number is used twice under a key, whatever happens to the process and its directory.
  @Suite struct NonceTests {
    @Test func `each of many restarts gives a key of its own, though numbers and sequences repeat`() throws {
      let keys = try NotingKeys()
      // A million with `RANGEIO_FLIPS=all`.
      let restarts = TestScale.isDamageComplete ? 1_000_000 : 20_000
      for _ in 0..<restarts {
        // All that a process has besides randomness is the same in each life: as in a copy of the directory.
        var header = SpillSegmentHeader(directoryID: 1, epoch: 1, number: 1, created: 1)
        let cipher = try #require(SpillCipher.begin(&header, DiskEncryption(keys)))
        for sequence in 1...2 as ClosedRange<UInt64> {
          var record = SpillRecord(.chunk)
          record.sequence = sequence
          withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { memory in
            let plain = UnsafeRawBufferPointer(memory.part(0, 8))
            _ = cipher.encrypt(&record, plain, at: 128, of: [], into: memory)
          }
        }
      }
      #expect(keys.uses == 2 * restarts && keys.reuses == 0)
    }

    @Test func `restarts, copies, torn tails, footers that are written twice and failed writes use none twice`()
      async throws
    {
      let keys = try NotingKeys()
      var random = TestRandom(7)
      var spills = [SimulatedSpill { $0.encryption = DiskEncryption(keys) }]
      let lives = TestScale.isDamageComplete ? 600 : 150
      for life in 0..<lives {
        // A copy of a directory, as it is or cut short, lives on beside the original.
        var spill = spills[random.below(spills.count)]
        if life % 3 == 0 {
          spill = spill.copy()
          if spills.count < 6 { spills.append(spill) } else { spills[random.below(6)] = spill }
        }
        if life % 2 == 0, let name = spill.segments.last, let bytes = spill.disk.contents(of: spill.path(name)),
          !bytes.isEmpty
        {
          spill.disk.truncateFile(spill.path(name), to: bytes.count - random.below(min(bytes.count, 6000)))
        }
        let process = spill.disk.newProcess()
        let store = try spill.open(in: process)
        let source = FillSource(store.sources)
        if life % 5 == 0 { spill.disk.faults = .on(.write, number: random.below(3), .tear(after: random.below(5000))) }
        for _ in 0..<random.below(30) { source.put(random.below(200), in: store) }
        if life % 4 == 0 { source.erase(3..<9, in: store) }
        // Failures are no matter here.
        try? await store.flush()
        spill.disk.faults = .none
        for _ in 0..<random.below(9) { source.put(random.below(200), in: store) }
        if life % 7 < 4 { process.crash() } else { try? await store.close() }
      }
      #expect(keys.uses > 4 * lives && keys.reuses == 0, "\(keys.uses) uses")
    }

    @Test func `records that are copied on are encrypted anew`() async throws {
      let keys = try NotingKeys()
      let spill = SimulatedSpill(limit: .kibibytes(400)) { $0.encryption = DiskEncryption(keys) }
      let store = try spill.open()
      let source = FillSource(store.sources)
      for block in 0..<400 {
        source.put(block, in: store)
        if block % 8 == 7 {
          try await store.flush()
          for _ in 0..<3 { #expect(source.served(0..<4, by: store) != nil) }
        }
      }
      #expect(store.counts().reinsertions > 0 && store.counts().segmentsFreed > 0)
      #expect(source.served(0..<400, by: store)?.isEmpty == false)
      #expect(keys.uses > 400 && keys.reuses == 0)
    }
  }

  /// Notes each key and number that something is encrypted or masked with.
  final class NotingKeys: DiskKeys {
    struct Use: Hashable {
      /// 128 bits of the proof, which is as unique as the key.
      let key: SIMD2<UInt64>
      let number: UInt64
    }
    private struct State {
      var known: Set<Use> = []
      var uses = 0
      var reuses = 0
    }
    private let state = Locked(State())
    private let keys: GCMKeys

    init() throws { keys = GCMKeys(provider: try EncryptionKeys([1: testKey(1)], current: 1)) }

    var current: UInt32 { keys.current }
    var uses: Int { state.withLock { $0.uses } }
    var reuses: Int { state.withLock { $0.reuses } }

    func ciphers(key: UInt32, salt: [UInt8], context: [UInt8]) -> (any DiskCiphers)? {
      keys.ciphers(key: key, salt: salt, context: context).map { NotingCiphers(keys: self, ciphers: $0) }
    }

    func note(_ proof: [UInt8], _ number: UInt64) {
      let key = proof.withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
      state.withLock { state in
        state.uses += 1
        if !state.known.insert(Use(key: key, number: number)).inserted { state.reuses += 1 }
      }
    }
  }

  private struct NotingCiphers: DiskCiphers {
    let keys: NotingKeys
    let ciphers: any DiskCiphers

    var proof: [UInt8] { ciphers.proof }

    func mask(_ number: UInt64) -> [UInt8] { ciphers.mask(number) }

    func encrypt(
      _ plain: UnsafeRawBufferPointer, number: UInt64, context: [UInt8], into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
      keys.note(proof, number)
      return ciphers.encrypt(plain, number: number, context: context, into: sealed)
    }

    func decrypt(_ sealed: UnsafeMutableRawBufferPointer, number: UInt64, context: [UInt8]) -> Bytes? {
      ciphers.decrypt(sealed, number: number, context: context)
    }
  }
#endif
