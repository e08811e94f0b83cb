#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOSupport
  import SystemPackage
  import Testing

  @testable import RangeIOServe

  /// Listings of large directories, which many ask for at a time.
  @Suite(.timeLimit(.minutes(5))) struct SharedListingTests {
    /// Holds a thread of the work until it is opened.
    private final class Gate: Sendable {
      private let semaphore = DispatchSemaphore(value: 0)

      func pass() { semaphore.wait() }
      func open() { semaphore.signal() }
    }

    /// Lets all that can go on do so until `condition` holds.
    private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    @Test func `listings have threads of their own, and are looked for once`() async throws {
      let folder = try ServedFolder()
      for name in ["sub/a", "sub/b", "other/c"] { try folder.write([1], to: name) }
      let upstream = try DirectoryUpstream(folder.path)
      func directory(_ name: ServedName) async throws -> ServedItem.Directory {
        guard case .directory(let directory) = try await upstream.look(at: [name]) else { throw CancellationError() }
        return directory
      }
      let (gate, blocking) = (Gate(), Counter())
      let blocked = (0..<2).map { number in
        Task { () async throws -> ServedItem.Listing in
          let key = DirectoryUpstream.ListingKey(path: [ServedName("\(number)")], device: 0, inode: 0, after: nil)
          return try await upstream.listings.value(for: key) {
            try await upstream.listingThreads.value { _ in
              blocking.add()
              gate.pass()
              return ServedItem.Listing([])
            }
          }
        }
      }
      await until { upstream.listings.counts == (2, 2) && blocking.count == 2 }
      let waiting = try await withThrowingTaskGroup(of: ServedItem.Listing.self) { group in
        for _ in 0..<64 {
          let sub = try await directory("sub")
          group.addTask { try await sub.list(nil) }
        }
        let unrelated = try await directory("other")
        let other = Task { try await unrelated.list("b") }
        let last = try await directory("sub")
        let rest = Task { try await last.list("a") }
        await until { upstream.listings.counts == (5, 68) }
        // Files are looked for meanwhile.
        guard case .object = try await upstream.look(at: ["sub", "a"]) else { throw CancellationError() }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        #expect(upstream.listings.counts == (4, 67))
        for _ in 0..<2 { gate.open() }
        let names = try await rest.value.entries.map(\.name)
        #expect(names == ["b"])
        var lists: [ServedItem.Listing] = []
        for try await listing in group { lists.append(listing) }
        return lists
      }
      #expect(waiting.count == 64 && waiting.allSatisfy { $0.entries.map(\.name) == ["a", "b"] })
      for task in blocked { _ = try await task.value }
    }

    @Test func `an error of a listing names the directory`() throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "file")
      let upstream = try DirectoryUpstream(folder.path)
      // What is no directory cannot be listed.
      let file = try OpenedFile(FilePath(folder.path + "/file"))
      let error = #expect(throws: ReadError.self) { try upstream.list(file, ["file"], after: nil, WorkInterest()) }
      #expect(error?.source == folder.path + "/file")
    }

    @Test func `a listing that no one waits for ends at its next name`() async throws {
      let folder = try ServedFolder()
      for number in 0..<20 { try folder.write([1], to: "\(number)") }
      let upstream = try DirectoryUpstream(folder.path)
      let file = try OpenedFile(FilePath(folder.path))
      let interest = WorkInterest()
      #expect(try upstream.list(file, [], after: nil, interest).entries.count == 20)
      interest.lose()
      #expect(throws: CancellationError.self) { try upstream.list(file, [], after: nil, interest) }
    }
  }
#endif
