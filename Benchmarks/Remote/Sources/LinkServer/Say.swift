#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Prints a line now, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
