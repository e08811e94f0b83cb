import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ReadErrorErrnoTests {
  private struct Meaning: CustomTestStringConvertible {
    let errno: Errno
    let code: ReadError.Code
    let isTransient: Bool
    /// A word of the advice.
    let advice: String
    var testDescription: String { "\(errno) → \(code)" }
  }

  private static let meanings: [Meaning] = [
    .init(errno: .noSuchFileOrDirectory, code: .notFound, isTransient: false, advice: "check the path"),
    .init(errno: .notDirectory, code: .notFound, isTransient: false, advice: "check the path"),
    .init(errno: .tooManySymbolicLinkLevels, code: .notFound, isTransient: false, advice: "loop"),
    .init(errno: .fileNameTooLong, code: .notFound, isTransient: false, advice: "shorten"),
    .init(errno: .permissionDenied, code: .permissionDenied, isTransient: false, advice: "permissions"),
    .init(errno: .notPermitted, code: .permissionDenied, isTransient: false, advice: "permissions"),
    .init(errno: .isDirectory, code: .unsupportedSource, isTransient: false, advice: "name a file"),
    .init(errno: .noSuchAddressOrDevice, code: .unsupportedSource, isTransient: false, advice: "nothing behind it"),
    .init(errno: .tooManyOpenFiles, code: .resourcesExhausted, isTransient: true, advice: "ulimit -n"),
    .init(errno: .tooManyOpenFilesInSystem, code: .resourcesExhausted, isTransient: true, advice: "close other files"),
    .init(errno: .noMemory, code: .resourcesExhausted, isTransient: true, advice: "read less"),
    .init(errno: .interrupted, code: .inputOutput, isTransient: true, advice: "try again"),
    .init(errno: .resourceTemporarilyUnavailable, code: .inputOutput, isTransient: true, advice: "try again"),
    .init(errno: .staleNFSFileHandle, code: .sourceChanged, isTransient: false, advice: "open it again"),
    .init(errno: .badFileDescriptor, code: .closed, isTransient: false, advice: "adopted"),
    .init(errno: .ioError, code: .inputOutput, isTransient: false, advice: "system's log"),
    .init(errno: .timedOut, code: .timedOut, isTransient: true, advice: "try again"),
    .init(errno: .connectionReset, code: .inputOutput, isTransient: true, advice: "look at the mount"),
    .init(errno: .hostIsDown, code: .inputOutput, isTransient: true, advice: "look at the mount"),
    .init(errno: .socketNotConnected, code: .inputOutput, isTransient: true, advice: "look at the mount"),
    .init(errno: .noRouteToHost, code: .inputOutput, isTransient: true, advice: "look at the mount"),
    .init(errno: Errno(rawValue: 127), code: .inputOutput, isTransient: true, advice: "kinit"),
    // A medium error of a disk.
    .init(errno: .noData, code: .inputOutput, isTransient: false, advice: "system's log"),
    .init(errno: .notSupported, code: .inputOutput, isTransient: false, advice: "system's log"),
    .init(errno: Errno(rawValue: 9999), code: .inputOutput, isTransient: false, advice: "system's log"),
  ]

  @Test(arguments: meanings)
  private func `an errno becomes its code, with advice`(meaning: Meaning) {
    let context = ReadError.Context(source: "/data/x", offset: 10, count: 20)
    let error = ReadError.errno(meaning.errno, "read the file", context)
    #expect(error.code == meaning.code)
    #expect(error.isTransient == meaning.isTransient)
    #expect(error.message.contains(meaning.advice), "\(error.message)")
    #expect(error.message.hasPrefix("cannot read the file: "))
    #expect(error.message.contains("(\(meaning.errno.rawValue))"))
    #expect(error.context == context)
    #expect(error.cause as? Errno == meaning.errno)
  }

  @Test func `what a disk reports as its own fault is the network's where the file may be on a server`() {
    for number in [Errno.ioError, .noData, Errno(rawValue: 121)] {
      for isRemote in [false, true] {
        let error = ReadError.errno(number, "read the file", .init(source: "f"), isRemote: isRemote)
        #expect(error.code == .inputOutput && error.isTransient == isRemote)
        #expect(error.message.contains("server") == isRemote, "\(error.message)")
      }
    }
    let stale = ReadError.errno(.staleNFSFileHandle, "read the file", .init(source: "f"), isRemote: true)
    #expect(stale.code == .sourceChanged && !stale.isTransient)
  }

  @Test func `no error number is without advice, and the code closed is for bad descriptors only`() {
    for number in 1...133 {
      let errno = Errno(rawValue: CInt(number))
      let error = ReadError.errno(errno, "open the file", .init(source: "f"))
      #expect(!error.message.hasSuffix("; "), "\(errno)")
      #expect((error.code == .closed) == (errno == .badFileDescriptor), "\(errno)")
      #expect(error.code != .timedOut || error.isTransient, "\(errno)")
    }
  }

  @Test func `a negative result of the syscall table is its errno`() {
    #expect(Errno(result: -2) == .noSuchFileOrDirectory)
    #expect(Errno(result: -5) == .ioError)
  }
}
