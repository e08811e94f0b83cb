// The C library, which has another name on each platform, for all files of this module and of the tests that import it.

#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#endif

// System calls by names of their own, for where a test has a function of the same name.

func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
@discardableResult func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
func systemUnlink(_ path: String) -> CInt { unlink(path) }
func systemLink(_ path: String, _ other: String) -> CInt { link(path, other) }
func systemChmod(_ path: String, _ mode: mode_t) -> CInt { chmod(path, mode) }
func systemChown(_ path: String, _ user: uid_t, _ group: gid_t) -> CInt { chown(path, user, group) }
