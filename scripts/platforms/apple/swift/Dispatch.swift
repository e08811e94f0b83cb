// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's module Dispatch that this package uses, as its documentation declares it. Linux has a Dispatch too, which
// lacks sources of file systems and of memory pressure, and where other types are Sendable. Nothing here runs.

private func stub<Value>() -> Value { fatalError("only for type checks") }

open class DispatchObject {
  init() {}
}

// MARK: queues and work

public struct DispatchQoS: Sendable {
  public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }
  public static var unspecified: DispatchQoS { stub() }
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

public class DispatchWorkItem {
  public init(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    block: @escaping @Sendable @convention(block) () -> Void
  ) {}
}

open class DispatchGroup: DispatchObject, @unchecked Sendable {}

public final class DispatchSpecificKey<T> {
  public init() {}
}

open class DispatchQueue: DispatchObject, @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
  }
  public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }

  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
    autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
  ) { self.init() }

  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { stub() }
  public class var main: DispatchQueue { stub() }

  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { stub() }

  public func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
}

// MARK: data

public struct DispatchData: RandomAccessCollection {
  public enum Deallocator {
    case free
    case unmap
    case custom(DispatchQueue?, @convention(block) () -> Void)
  }
  public static var empty: DispatchData { stub() }
  public init(bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: Deallocator = .free) { self = stub() }
  public var startIndex: Int { stub() }
  public var endIndex: Int { stub() }
  public var count: Int { stub() }
  public subscript(index: Int) -> UInt8 { stub() }
  public func index(after index: Int) -> Int { stub() }
  public func index(before index: Int) -> Int { stub() }
  public func enumerateBytes(
    _ block: (_ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool) -> Void
  ) {}
  public mutating func append(_ other: DispatchData) {}
}
@available(*, unavailable) extension DispatchData: Sendable {}

// MARK: files

open class DispatchIO: DispatchObject {
  public enum StreamType: UInt, Sendable { case stream, random }
  public struct CloseFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let stop = CloseFlags(rawValue: 1)
  }

  public convenience init(
    type: StreamType, fileDescriptor: Int32, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) { self.init() }

  /// `offset`: `off_t`.
  public func read(
    offset: Int64, length: Int, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {}

  public func close(flags: CloseFlags = []) {}
  public func setLimit(highWater: Int) {}
  public func setLimit(lowWater: Int) {}
}
@available(*, unavailable) extension DispatchIO: Sendable {}

// MARK: sources

public protocol DispatchSourceProtocol: AnyObject {
  typealias DispatchSourceHandler = @Sendable @convention(block) () -> Void
}

extension DispatchSourceProtocol {
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) {}
  public func setEventHandler(handler: DispatchWorkItem) {}
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
  ) {}
  public func setCancelHandler(handler: DispatchWorkItem) {}
  public func activate() {}
  public func cancel() {}
  public func resume() {}
  public func suspend() {}
  public var isCancelled: Bool { stub() }
}

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
  var data: DispatchSource.FileSystemEvent { get }
}
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
  var data: DispatchSource.MemoryPressureEvent { get }
}
public protocol DispatchSourceRead: DispatchSourceProtocol {}

open class DispatchSource: DispatchObject {
  public struct FileSystemEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let delete = FileSystemEvent(rawValue: 0x1)
    public static let write = FileSystemEvent(rawValue: 0x2)
    public static let extend = FileSystemEvent(rawValue: 0x4)
    public static let attrib = FileSystemEvent(rawValue: 0x8)
    public static let link = FileSystemEvent(rawValue: 0x10)
    public static let rename = FileSystemEvent(rawValue: 0x20)
    public static let revoke = FileSystemEvent(rawValue: 0x40)
  }
  public struct MemoryPressureEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal = MemoryPressureEvent(rawValue: 1)
    public static let warning = MemoryPressureEvent(rawValue: 2)
    public static let critical = MemoryPressureEvent(rawValue: 4)
  }

  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { stub() }
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure { stub() }
  public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead {
    stub()
  }
}
