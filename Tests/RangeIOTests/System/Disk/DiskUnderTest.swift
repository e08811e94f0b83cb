import Foundation
import RangeIOTesting
import SystemPackage

@testable import RangeIO
@testable import RangeIOTestSupport

/// A directory on a disk that the same tests are to find like any other.
struct DiskUnderTest {
  enum Kind: CaseIterable, Sendable { case system, simulated }

  let directory: any SpillDirectory
  let user: UInt32
  /// On the system's disk only.
  let temporary: TemporaryDirectory?
  private let simulated = SimulatedDisk()

  init(_ kind: Kind) throws {
    switch kind {
    case .system:
      let temporary = try TemporaryDirectory()
      directory = try SystemDisk().openDirectory(FilePath(temporary.path))
      user = SystemDisk().user
      self.temporary = temporary
    case .simulated:
      let process = simulated.newProcess()
      try process.makeDirectory("/top")
      directory = try process.openDirectory("/top")
      user = simulated.user
      temporary = nil
    }
  }

  /// Makes a symbolic link to `target`.
  func makeLink(_ name: String, to target: String) throws {
    if let temporary {
      try FileManager.default.createSymbolicLink(atPath: temporary.path(name), withDestinationPath: target)
    } else {
      simulated.makeLink(FilePath("/top").appending(name))
    }
  }
}

/// One of each kind, to be kept by a suite as long as its tests run.
struct DisksUnderTest {
  private let system: DiskUnderTest
  private let simulated: DiskUnderTest

  init() throws {
    system = try DiskUnderTest(.system)
    simulated = try DiskUnderTest(.simulated)
  }

  subscript(kind: DiskUnderTest.Kind) -> DiskUnderTest { kind == .system ? system : simulated }
}
