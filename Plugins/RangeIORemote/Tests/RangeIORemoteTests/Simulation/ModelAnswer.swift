@testable import RangeIORemote

/// The answer of a ``ModelServer`` to one request.
struct ModelAnswer {
  /// `nil`: the connection failed before the head.
  var head: ResponseHead?
  var body: [UInt8] = []
  /// The fault after the body, or in place of the head.
  var fault: TransportFault?

  init(_ status: Int, _ fields: HeaderFields = HeaderFields(), body: [UInt8] = [], fault: TransportFault? = nil) {
    head = ResponseHead(status: status, fields: fields)
    self.body = body
    self.fault = fault
  }

  init(fault: TransportFault) { self.fault = fault }

  /// The same answer with another value of a field; `nil` removes it.
  func with(_ name: String, _ value: String?) -> ModelAnswer {
    guard let head else { return self }
    var fields = head.fields
    fields.set(name, value)
    var answer = self
    answer.head = ResponseHead(status: head.status, fields: fields)
    return answer
  }

  func with(status: Int) -> ModelAnswer {
    var answer = self
    answer.head = head.map { ResponseHead(status: status, fields: $0.fields) }
    return answer
  }

  /// The same answer, cut after `count` bytes of its body.
  func cut(after count: Int, _ fault: TransportFault) -> ModelAnswer {
    var answer = self
    answer.body = Array(body.prefix(count))
    answer.fault = fault
    return answer
  }
}

/// A wrong turn that a server takes, for one request.
enum Trick: CaseIterable {
  case whole, wholeWithoutLength, wholeWithRange, noRange, otherStart, earlierStart, shorter, longer, starRange,
    starTotal
  case otherTotal, nonsenseRange, multipart, unasked, bareRefusal, refusal, emptyRefusal, precondition, unauthorized
  case forbidden, missing, gone, busy, failing, html, noMark, encoded, lyingLength, doubleLength, endsEarly, overruns
  case cut, cutEarly, stalls, drips, endsWithoutNotify, resetBeforeHead, goAway, noHead, refused, giantHeaders, stale
  case redirectLoop, redirectDown, redirectNowhere, redirectElsewhere, leftOver
}
