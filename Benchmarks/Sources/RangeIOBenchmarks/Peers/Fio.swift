import CBenchmarkPeers
import Foundation

/// The disk's limit, as the program fio finds it: random reads without looking at what comes.
///
/// In cold cells only. A process of its own, whose clock and counts are believed; its processor time is in the table. It
/// visits other offsets than the contenders beside it, as random as theirs.
struct Fio: Sendable {
  private static let path = "/usr/bin/fio"
  private let file: BenchmarkFile

  /// Empty where there is no fio. Only Linux has io_uring.
  static func contenders(_ file: BenchmarkFile) -> [Contender] {
    #if os(Linux)
      guard FileManager.default.isExecutableFile(atPath: path) else { return [] }
      let fio = Fio(file: file)
      return [
        Contender(name: .fioBlocking) { cell in
          fio.variants(cell, "a thread each") { ["--ioengine=psync", "--numjobs=\($0)"] }
        },
        Contender(name: .fioRing) { cell in
          fio.variants(cell, "one thread") { ["--ioengine=io_uring", "--iodepth=\($0)"] }
        },
      ]
    #else
      return []
    #endif
  }

  private func variants(
    _ cell: Cell, _ label: String, _ arguments: @escaping @Sendable (_ concurrency: Int) -> [String]
  ) -> [Variant] {
    guard case .reads = cell.workload, cell.temperature == .cold else { return [] }
    return [
      Variant(label: label) { job in
        guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
        let arguments = arguments(concurrency)
        // Each of its jobs does as many.
        let jobs = arguments.contains("--numjobs=\(concurrency)") ? concurrency : 1
        return try run(arguments, size, reads: max(1, offsets.count / jobs))
      }
    ]
  }

  private func run(_ arguments: [String], _ size: Int, reads: Int) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments =
      [
        "--name=reads", "--filename=\(file.path)", "--readonly", "--rw=randread", "--bs=\(size)",
        "--number_ios=\(reads)", "--norandommap", "--randrepeat=0", "--thread", "--group_reporting", "--invalidate=0",
        "--output-format=json",
      ] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let job = try Report(data).jobs.first, job.read.iops > 0 else {
      throw Failed(status: process.terminationStatus)
    }
    let used = (job.usr_cpu + job.sys_cpu) / 100 * job.job_runtime * 1e6
    return Outcome(
      elapsed: .seconds(job.read.total_ios / job.read.iops), reads: Int(job.read.total_ios),
      usage: bench_usage(minor_faults: 0, cpu_ns: Int64(used)))
  }

  /// What fio says, as far as it is needed; its own names.
  private struct Report: Decodable {
    struct Job: Decodable {
      struct Read: Decodable {
        var total_ios: Double
        var iops: Double
      }
      var read: Read
      var usr_cpu: Double
      var sys_cpu: Double
      /// Of all threads together, in milliseconds.
      var job_runtime: Double
    }
    var jobs: [Job]

    init(_ output: Data) throws {
      // Notes may stand before the JSON.
      self = try JSONDecoder().decode(Report.self, from: output.drop { $0 != UInt8(ascii: "{") })
    }
  }

  private struct Failed: Error, CustomStringConvertible {
    let status: Int32

    var description: String { "fio did not read (exit status \(status)): try without it" }
  }
}
