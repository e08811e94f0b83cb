#!/usr/bin/env bash
# Lists the suites that need a process of their own, as 'Target.Suite', read from the sources: those in files that look at or
# change what a whole process shares, or import a module that does. All others may share a process with others.
#
# A file does so if it names such a thing, or a function or type of a file that does so and has no tests of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the library has once in a process, by the names of its files.
once=$(grep -rlE --include='*.swift' 'static let ([a-z][A-Za-z]* = (Locked|NIOLockedValueBox)|shared\>)' Sources Plugins/*/Sources |
  sed -E '/\+/d; s#.*/##; s#\.swift$##' | sort | tr '\n' '|')

find Tests Plugins/*/Tests -name '*.swift' | sort | awk -v once="$once" '
  BEGIN {
    # Descriptors, threads, memory, processor time, signals, the environment, other processes, the queues of the system.
    shared = "/proc/|setrlimit|getrlimit|getrusage|malloc|madvise|mincore|clock_gettime|signal\\(|sigaction|pthread" \
      "|[^a-zA-Z](Thread|Process|DispatchQueue|MainActor)[^a-zA-Z]|posix_spawn|fork\\(|kill\\(|chdir|umask|setenv|putenv" \
      "|" once "\\.shared[^a-zA-Z]|sharedRemote"
    pure = "^(Testing|Synchronization|Foundation|FoundationEssentials|SystemPackage|RangeIO.*)$"
    impure = "^RangeIO(Tool|HTTPTestServer)$"
  }
  # What the line declares, if no type or function is around it: "struct Name". What is within #if is indented, but for the
  # files of the tool.
  function declared(line, isWithin) {
    if (isWithin) sub(/^  /, "", line)
    if (line !~ /^[@a-z]/) return ""
    if (!match(line, /(struct|class|actor|enum|extension|func) [A-Za-z_][A-Za-z0-9_]*/)) return ""
    return substr(line, RSTART, RLENGTH)
  }
  function target(file) {
    sub(/^(Plugins\/[^\/]*\/)?Tests\//, "", file)
    sub(/\/.*/, "", file)
    return file
  }
  {
    file = $0
    isWithin = 0
    files[++count] = file
    while ((getline line < file) > 0) {
      if (line ~ /^ *\/\//) continue
      if (line ~ /^#(if|endif)/) isWithin = line ~ /^#if/ && line !~ /^#if Tool/
      if (line ~ /@Test/) hasTests[file] = 1
      if (line ~ shared) isLone[file] = 1
      imported = line
      if (sub(/^ *(@[a-z]+ |internal )*import +/, "", imported) && (imported !~ pure || imported ~ impure)) isLone[file] = 1
      text[file] = text[file] " " line
      name = declared(line, isWithin)
      if (name != "") names[file] = names[file] "\n" name
    }
    close(file)
  }
  END {
    do {
      grown = 0
      for (i = 1; i <= count; i++) {
        # What a file without tests declares, for all its target, or for all tests.
        if (!isLone[files[i]] || hasTests[files[i]] || isFollowed[files[i]]++) continue
        words = ""
        split(names[files[i]], each, "\n")
        for (k in each) if (each[k] !~ /^(extension .*)?$/) { split(each[k], part, " "); words = words "|" part[2] }
        for (k = 1; k <= count && words != ""; k++)
          if (!isLone[files[k]] && (target(files[k]) == target(files[i]) || target(files[i]) == "RangeIOTestSupport") \
              && text[files[k]] ~ "[^A-Za-z](" substr(words, 2) ")[^A-Za-z0-9]") isLone[files[k]] = grown = 1
      }
    } while (grown)
    for (i = 1; i <= count; i++) {
      if (!isLone[files[i]] || !hasTests[files[i]]) continue
      split(names[files[i]], each, "\n")
      for (k in each) if (each[k] !~ /^(func .*)?$/) { split(each[k], part, " "); print target(files[i]) "." part[2] }
    }
  }' | sort -u
