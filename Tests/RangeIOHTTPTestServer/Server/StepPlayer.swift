#if HTTP

  import NIOCore

  /// Where the steps of an answer go. Used on one event loop.
  protocol StepOutput: AnyObject {
    /// The most bytes of one write.
    var largestWrite: Int { get }
    /// Sends bytes, with those that follow unless it `flushes`; the result comes when the socket has taken them.
    func send(_ bytes: ArraySlice<UInt8>, isBody: Bool, flushes: Bool) -> EventLoopFuture<Void>
    /// Does what ends or changes the connection.
    ///
    /// - Returns: whether the answer goes on.
    func perform(_ action: Interruption.Action) -> Bool
    /// The steps are done.
    func finish()
  }

  /// Plays the steps of one answer, one after the other. Used on one event loop.
  final class StepPlayer {
    private let eventLoop: any EventLoop
    private var steps: ArraySlice<WireStep>
    /// What is left of the bytes of one step.
    private var sending: (bytes: ArraySlice<UInt8>, isBody: Bool)?
    /// Refers to this player; the cycle ends with the answer.
    private var output: (any StepOutput)?
    private var isReady = false
    private var isLooping = false

    init(_ steps: [WireStep], to output: any StepOutput, on eventLoop: any EventLoop) {
      self.steps = steps[...]
      self.output = output
      self.eventLoop = eventLoop
    }

    /// Goes on with the next step. In a loop, for a step may be done within its call.
    func resume() {
      isReady = true
      guard !isLooping else { return }
      isLooping = true
      defer { isLooping = false }
      while isReady, let output {
        isReady = false
        play(on: output)
      }
    }

    /// Nothing more.
    func stop() { output = nil }

    /// Sends as much of a step as fits into one write.
    private func send(to output: any StepOutput) {
      guard let (bytes, isBody) = sending else { return }
      let part = bytes.prefix(output.largestWrite)
      sending = part.count < bytes.count ? (bytes.dropFirst(part.count), isBody) : nil
      // A head goes with the first bytes of its body.
      if !isBody, sending == nil, case .send(_, isBody: true)? = steps.first {
        _ = output.send(part, isBody: false, flushes: false)
        return resume()
      }
      output.send(part, isBody: isBody, flushes: true).assumeIsolated().whenComplete { result in
        if case .success = result { self.resume() } else { self.stop() }
      }
    }

    private func play(on output: any StepOutput) {
      guard sending == nil else { return send(to: output) }
      guard let step = steps.popFirst() else {
        stop()
        return output.finish()
      }
      switch step {
      case .send(let bytes, let isBody):
        sending = (bytes, isBody)
        send(to: output)
      case .act(.pause(let milliseconds)):
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) { self.resume() }
      case .act(.wait(let gate)):
        let player = NIOLoopBound(self, eventLoop: eventLoop)
        gate.enter { player.eventLoop.execute { player.value.resume() } }
      case .act(.call(let function)):
        function()
        resume()
      case .act(.stall):
        stop()
      case .act(let action):
        if output.perform(action) { resume() } else { stop() }
      }
    }
  }

#endif
