// What encryption costs a hit of a disk tier whose file is in the page cache: `EncryptedHit DIRECTORY [ROUNDS]`. Each round reads all
// blocks of an encrypted and of a plain directory, in turn the one or the other first; the medians of all rounds count.
import RangeIO
import RangeIOTiers

#if Encrypted
  import RangeIOEncrypted

  let arguments = CommandLine.arguments
  guard arguments.count >= 2 else { fatalError("usage: EncryptedHit DIRECTORY [ROUNDS]") }
  let rounds = arguments.count > 2 ? Int(arguments[2])! : 301
  let key = (0..<4).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) } }
  for (size, count) in [(4096, 512), (65_536, 128), (1 << 20, 16)] {
    for (name, isHalf, codec) in [
      ("as it is", false, BuiltInCodec.identity as any ChunkCodec), ("halved by LZ4", true, BuiltInCodec.lz4()),
    ] {
      let source = HalfSource(blockSize: size, count: count, isHalf: isHalf)
      var tiers: [Tier] = []
      for encryption in [nil, DiskEncryption.key(try EncryptionKeys([1: key], current: 1))] {
        let directory = "\(arguments[1])/\(size)-\(isHalf)-\(encryption == nil ? "plain" : "encrypted")"
        tiers.append(try await Tier(source, directory, codec, encryption))
      }
      var times: [[Double]] = [[], []]
      for round in 0..<rounds {
        for tier in round % 2 == 0 ? [0, 1] : [1, 0] { times[tier].append(try await tiers[tier].microsecondsPerHit()) }
      }
      let medians = times.map { $0.sorted()[$0.count / 2] }
      print(
        "\(size / 1024) KiB, \(name): \(hundredths(medians[0])) µs, encrypted \(hundredths(medians[1])) µs, "
          + "\(hundredths(medians[1] / medians[0])) times")
      for tier in tiers { try await tier.close() }
    }
  }

  func hundredths(_ number: Double) -> Double { (number * 100).rounded() / 100 }
#else
  print("EncryptedHit: built without the trait Encrypted")
#endif
