#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOHTTP1
  internal import RangeIO
  internal import Synchronization

  // What the client calls, on the event loop of the request.
  extension Exchange {
    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
      times.sent = Watch.now
      since.store(times.sent, ordering: .relaxed)
      phase.store(.sent, ordering: .sequentiallyConsistent)
      if limits.isHTTP2, leftAt.load(ordering: .sequentiallyConsistent) > 0 { stop() }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
      times.head = Watch.now
      since.store(times.head, ordering: .relaxed)
      phase.store(.body, ordering: .releasing)
      var fields = HeaderFields(reserving: head.headers.count)
      for (name, value) in head.headers {
        do { try fields.append(name, value) } catch { return close(task, .noHead(.giantHeaders)) }
      }
      let response = ResponseHead(
        status: Int(head.status.code), fields: fields, isForwarded: request.isForwarded)
      let length = request.isHead ? 0 : fields["Content-Length"].flatMap { Int($0) }
      toCome.store(length ?? -1, ordering: .relaxed)
      guard leftAt.load(ordering: .relaxed) == 0, !isDropping else { return drop(task, length) }
      switch judge(response) {
      case .take(let plan):
        mode = .taking(skip: plan.skip, take: plan.take, rest: plan.rest)
      case .follow(let plan, let body):
        mode = .taking(skip: plan.skip, take: plan.take, rest: plan.rest)
        follower = body
        body.follows(self)
        answer.resolve(.success((.follows, times)))
      case .collect(let most):
        mode = .collecting(most: most)
      case .refuse:
        return close(task, .head)
      case .none:
        // A short body is awaited, so that the next request finds the connection free.
        if let length, length <= 16_384 {
          servedAt.store(times.head, ordering: .relaxed)
          mode = .dropping(left: length)
          return task.eventLoop.makeSucceededVoidFuture()
        }
        finish(.head)
        return drop(task, length)
      }
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
      let count = buffer.readableBytes
      times.received += count
      arrived(count)
      received.wrappingAdd(count, ordering: .relaxed)
      since.store(Watch.now, ordering: .relaxed)
      if toCome.load(ordering: .relaxed) >= 0 { toCome.wrappingSubtract(count, ordering: .relaxed) }
      if leftAt.load(ordering: .relaxed) > 0, !isDropping { mode = .dropping(left: limits.drain) }
      switch mode {
      case .head: return close(task, .noHead(.malformed("a body comes before its head")))
      case .taking(let skip, let take, let rest): return takePart(task, buffer, skip, take, rest)
      case .collecting(let most):
        collected += buffer.readableBytesView.prefix(most - collected.count)
        return collected.count < most
          ? task.eventLoop.makeSucceededVoidFuture() : close(task, .collected(collected, nil))
      case .dropping(let left):
        guard count <= left else { return close(task, .head) }
        mode = .dropping(left: left - count)
        return task.eventLoop.makeSucceededVoidFuture()
      }
    }

    private func takePart(
      _ task: HTTPClient.Task<Void>, _ buffer: ByteBuffer, _ skip: Int, _ take: Int, _ rest: Int?
    ) -> EventLoopFuture<Void> {
      let count = buffer.readableBytes
      let skipped = min(skip, count)
      let wanted = min(take - taken, count - skipped)
      mode = .taking(skip: skip - skipped, take: take, rest: rest)
      if wanted > 0 {
        do {
          try buffer.withUnsafeReadableBytes { bytes in
            try sink?.write(UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + wanted]))
          }
        } catch {
          return close(task, .sinkFailed(error))
        }
        taken += wanted
      }
      extra += count - skipped - wanted
      if let rest, extra > rest { return close(task, .body(.overran, taken: taken)) }
      // All is there. With nothing to follow the end is awaited, so that the next request finds the connection free.
      guard taken == take, rest != 0 else {
        guard taken == take else { return room(task) }
        if servedAt.load(ordering: .relaxed) == 0 { servedAt.store(Watch.now, ordering: .relaxed) }
        return task.eventLoop.makeSucceededVoidFuture()
      }
      finish(.body(.stopped, taken: taken))
      return drop(task, rest.map { $0 - extra })
    }

    /// When the sink takes more. Until then nothing is late.
    private func room(_ task: HTTPClient.Task<Void>) -> EventLoopFuture<Void> {
      guard let pause = sink?.pause else { return task.eventLoop.makeSucceededVoidFuture() }
      let room = task.eventLoop.makePromise(of: Void.self)
      since.store(.max, ordering: .relaxed)
      let waits = pause { [self] in
        forgetRate()
        since.store(Watch.now, ordering: .relaxed)
        room.succeed(())
      }
      if !waits {
        since.store(Watch.now, ordering: .relaxed)
        room.succeed(())
      }
      return room.futureResult
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
      if times.end == 0 { times.end = Watch.now }
      // First: the next request is on its way before a thread is woken up for this one.
      end(on: task.eventLoop)
      switch mode {
      case .head: finish(.noHead(.malformed("it ends before its head")))
      case .taking: finish(.body(.complete, taken: taken))
      case .collecting: finish(.collected(collected, nil))
      case .dropping: finish(.head)
      }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
      // Why it was stopped, even if the connection failed just before the client heard of it.
      let fault = stopped ?? TransportFault(error, isSent: times.sent > 0)
      switch mode {
      case .head: finish(.noHead(fault))
      case .taking(_, let take, _): finish(.body(taken == take ? .stopped : .fault(fault), taken: taken))
      case .collecting: finish(.collected(collected, fault))
      case .dropping: finish(.head)
      }
      end(on: task.eventLoop)
    }

    private var isDropping: Bool {
      if case .dropping = mode { true } else { false }
    }

    // MARK: ending

    /// Resumes the waiter, unless it was before. Then what follows the body is told, once.
    private func finish(_ outcome: Outcome) {
      if times.end == 0 { times.end = Watch.now }
      if outcome.isSilence { silent() }
      follower?.ended(outcome, times)
      follower = nil
      answer.resolve(.success((outcome, times)))
    }

    /// Resumes the waiter and closes the connection.
    private func close(_ task: HTTPClient.Task<Void>, _ outcome: Outcome) -> EventLoopFuture<Void> {
      finish(outcome)
      mode = .dropping(left: 0)
      return task.eventLoop.makeFailedFuture(ExchangeFault(fault: .other("the rest of the answer is not wanted")))
    }

    /// Lets a rest run out that is short, and closes the connection for a longer one. `nil`: its length is not known.
    private func drop(_ task: HTTPClient.Task<Void>, _ rest: Int?) -> EventLoopFuture<Void> {
      guard rest ?? 0 <= limits.drain else { return close(task, .head) }
      servedAt.store(Watch.now, ordering: .relaxed)
      mode = .dropping(left: limits.drain)
      return task.eventLoop.makeSucceededVoidFuture()
    }
  }
#endif
