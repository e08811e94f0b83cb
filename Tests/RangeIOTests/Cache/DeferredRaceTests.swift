import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The store and, late, the source: every order of what may happen completes the flight once, with the right one's answer.
struct DeferredRaceTests {
  private struct Gone: Error {}
  private struct SourceFailed: Error {}

  private enum Event: CaseIterable {
    case late, storeBrings, storeFails, sourceBrings, sourceFails, cancel
  }

  private static let ofStore = Bytes([1])
  private static let ofSource = Bytes([2])

  private final class Scene {
    final class Landed: Sendable {
      let results = Locked<[Result<Bytes, any Error>]>([])
    }
    let completed = Landed()
    let load = Task<Void, Never> { try? await Promise<Void>().value() }
    let other = Task<Void, Never> { try? await Promise<Void>().value() }
    let race: DeferredRace
    var hasAsked = false

    init() {
      race = DeferredRace { [completed] result in completed.results.withLock { $0.append(result) } }
      race.loads(load)
    }

    deinit {
      load.cancel()
      other.cancel()
    }

    var results: [Result<Bytes, any Error>] { completed.results.withLock { $0 } }
    var bytes: Bytes? { results.first.flatMap { try? $0.get() } }

    func happen(_ event: Event) {
      switch event {
      case .late:
        race.startOther {
          hasAsked = true
          return other
        }
      case .storeBrings: race.loaded(.success(DeferredRaceTests.ofStore))
      case .storeFails: race.loaded(.failure(Gone()))
      case .sourceBrings: race.otherEnded(.success(DeferredRaceTests.ofSource))
      case .sourceFails: race.otherEnded(.failure(SourceFailed()))
      case .cancel: race.cancel()
      }
    }
  }

  private func run(_ events: [Event]) -> Scene {
    let scene = Scene()
    for event in events { scene.happen(event) }
    return scene
  }

  @Test func `the store in time needs no source`() {
    let scene = run([.storeBrings, .late])
    #expect(scene.bytes == Self.ofStore && !scene.hasAsked)
  }

  @Test func `the store late, but first, still wins, and the source's read is cancelled`() {
    let scene = run([.late, .storeBrings])
    #expect(scene.bytes == Self.ofStore && scene.other.isCancelled)
    scene.happen(.sourceBrings)
    #expect(scene.results.count == 1)
  }

  @Test func `the source first wins, and the store's read is cancelled`() {
    let scene = run([.late, .sourceBrings])
    #expect(scene.bytes == Self.ofSource && scene.load.isCancelled)
    scene.happen(.storeBrings)
    #expect(scene.results.count == 1)
  }

  @Test func `the source fails while the store still comes`() {
    var scene = run([.late, .sourceFails])
    #expect(scene.results.isEmpty)
    scene.happen(.storeBrings)
    #expect(scene.bytes == Self.ofStore)
    scene = run([.late, .sourceFails, .storeFails])
    #expect(scene.results.count == 1 && scene.bytes == nil)
  }

  @Test func `the store fails while the source is asked`() {
    var scene = run([.late, .storeFails])
    #expect(scene.results.isEmpty)
    scene.happen(.sourceBrings)
    #expect(scene.bytes == Self.ofSource)
    scene = run([.late, .storeFails, .sourceFails])
    guard case .failure(let error) = scene.results.first else { return #expect(Bool(false)) }
    #expect(error is SourceFailed)
  }

  @Test func `the store that fails in time completes at once`() {
    let scene = run([.storeFails, .late])
    #expect(scene.results.count == 1 && scene.bytes == nil && !scene.hasAsked)
  }

  @Test func `cancelling cancels the source's read, and asks it no more`() {
    var scene = run([.late, .cancel])
    #expect(scene.other.isCancelled)
    scene = run([.cancel, .late])
    #expect(!scene.hasAsked)
    scene.happen(.storeFails)
    #expect(scene.results.count == 1)
  }

  @Test func `a load that is known of after all is over is cancelled`() {
    let scene = Scene()
    scene.happen(.late)
    scene.happen(.sourceBrings)
    let load = Task<Void, Never> {}
    scene.race.loads(load)
    #expect(load.isCancelled)
  }

  @Test func `whatever the order, it completes once, with the first bytes`() {
    // Each happens at most once, an answer of the source only after it was asked, of each at most one.
    func go(_ events: [Event]) {
      let scene = run(events)
      let (store, source) = (events.contains(.storeBrings), events.contains(.sourceBrings))
      let hasStore = store || events.contains(.storeFails)
      let hasSource = source || events.contains(.sourceFails)
      #expect(scene.results.count <= 1, "\(events)")
      if hasStore, hasSource || !scene.hasAsked { #expect(scene.results.count == 1, "\(events)") }
      if let first = events.first(where: { $0 == .storeBrings || $0 == .sourceBrings }), hasStore || source {
        #expect(scene.bytes == (first == .storeBrings ? Self.ofStore : Self.ofSource), "\(events)")
      }
      for next in Event.allCases where !events.contains(next) {
        switch next {
        case .storeBrings, .storeFails: if hasStore { continue }
        case .sourceBrings, .sourceFails: if hasSource || !scene.hasAsked { continue }
        case .late, .cancel: break
        }
        go(events + [next])
      }
    }
    go([])
  }
}
