#if Tool
// The C library, which has another name on each platform, for all files of these tests.

#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif
#endif
