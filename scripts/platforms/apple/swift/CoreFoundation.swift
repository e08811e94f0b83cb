// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's framework CoreFoundation that this package uses: CFRunLoop.h. Nothing here runs.

public typealias CFTypeRef = AnyObject
public class CFString {}
public class CFRunLoop {}

public struct CFRunLoopMode: RawRepresentable {
  public var rawValue: CFString
  public init(rawValue: CFString) { self.rawValue = rawValue }
  public static var commonModes: CFRunLoopMode { fatalError("only for type checks") }
}

public func CFRunLoopGetCurrent() -> CFRunLoop! { fatalError("only for type checks") }
public func CFRunLoopPerformBlock(_ rl: CFRunLoop!, _ mode: CFTypeRef!, _ block: (() -> Void)!) {}
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) {}
