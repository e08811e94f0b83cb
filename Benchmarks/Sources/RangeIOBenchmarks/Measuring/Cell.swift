/// What is measured in one group of the table: a kind of read under a state of the page cache.
struct Cell: Hashable, Sendable {
  enum Workload: Hashable, Sendable {
    /// Reads of `size` bytes at random offsets, `concurrency` of them under way at any time.
    case reads(size: Int, concurrency: Int)
    /// From the start of the file to its end; in quick runs of a part of it.
    case stream
  }

  enum Temperature: String, Hashable, Sendable {
    /// Every page of the file is in the page cache.
    case resident
    /// None is.
    case cold
    /// No file is read: the bytes are in this process.
    case memory
  }

  let workload: Workload
  let temperature: Temperature
  /// What of the cache is measured; nil where files are read without one.
  var topic: CacheTopic?

  static func reads(_ size: Int, _ temperature: Temperature, _ concurrency: Int) -> Cell {
    Cell(workload: .reads(size: size, concurrency: concurrency), temperature: temperature)
  }

  static func stream(_ temperature: Temperature) -> Cell { Cell(workload: .stream, temperature: temperature) }

  /// All of them.
  static let all = files + cache + SpillTopic.cells

  /// Those of files, the ones that need a resident file first: a round warms the file once.
  static let files: [Cell] = [Temperature.resident, .cold].flatMap { temperature in
    [4096, 65536, 1 << 20].flatMap { size in
      (size == 4096 && temperature == .cold ? [1, 4, 32, 128] : [1, 32]).map { reads(size, temperature, $0) }
    } + [stream(temperature)]
  }

  /// The bytes of one read; none for a stream.
  var readSize: Int {
    if case .reads(let size, _) = workload { size } else { 0 }
  }

  /// How many bytes from the start of the file take part; nil: all of them.
  var extent: Int? { topic?.extent }

  /// What its times are of, as the heading of their column.
  var measure: String {
    spillTopic?.measure ?? (workload == .stream ? "time" : "time a read")
  }

  /// Which offsets a run of reads visits.
  var order: Offsets.Order {
    switch workload {
    case .reads(let size, _): topic?.order ?? (temperature == .cold ? .everyOther : .all(step: size))
    case .stream: .all(step: 1)
    }
  }

  /// The most rounds that are worth it.
  var mostRounds: Int { spillTopic?.mostRounds ?? .max }

  /// How many reads of `size` bytes one run may do at most.
  func mostReads(_ size: Int, fileSize: Int) -> Int {
    topic?.mostReads ?? (temperature == .cold ? Offsets.coldLimit(size: size, extent: fileSize) : .max)
  }

  /// What `--filter` looks into and the JSON calls it.
  var id: String {
    if let topic { return topic.id(self) }
    return switch workload {
    case .reads(let size, let concurrency): "read/\(Self.sizeName(size))/\(temperature.rawValue)/\(concurrency)"
    case .stream: "stream/\(temperature.rawValue)"
    }
  }

  /// For headings.
  func title(streaming byteCount: Int) -> String {
    if let topic { return topic.title(self) }
    return switch workload {
    case .reads(let size, let concurrency):
      "\(Self.sizeName(size, " ")) reads, \(temperature.rawValue), \(concurrency) at a time"
    case .stream: "stream of \(Self.sizeName(byteCount, " ")), \(temperature.rawValue)"
    }
  }

  static func sizeName(_ size: Int, _ space: String = "") -> String {
    switch size {
    case (1 << 30)...: "\(size >> 30)\(space)GiB"
    case (1 << 20)...: "\(size >> 20)\(space)MiB"
    default: "\(size >> 10)\(space)KiB"
    }
  }
}
