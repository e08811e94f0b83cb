#if HTTP

  extension OddAnswer {
    /// What stands in `Content-Range` and `Content-Length`: numbers near their ends, and what is no number.
    static let ranges: [OddAnswer] = [
      range("that is negative", .fails("Content-Range")) { "bytes -\($0.lowerBound)-\($0.upperBound - 1)/\($1)" },
      range("that ends before it begins", .fails("Content-Range")) {
        "bytes \($0.upperBound)-\($0.lowerBound)/\($1)"
      },
      range("that overflows", .fails("Content-Range")) { "bytes \($0.lowerBound)-99999999999999999999/\($1)" },
      range("up to the largest number", .fails("")) { range, _ in
        "bytes \(range.lowerBound)-9223372036854775806/9223372036854775807"
      },
      range("whose total overflows", .fails("Content-Range")) { range, _ in
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/18446744073709551616"
      },
      range("whose total is negative", .fails("Content-Range")) { range, _ in
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/-1"
      },
      range("that ends beyond its total", .fails("")) { range, _ in
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(range.upperBound - 1)"
      },
      range("of other units", .fails("Content-Range")) { "items \($0.lowerBound)-\($0.upperBound - 1)/\($1)" },
      range("without units", .either) { "\($0.lowerBound)-\($0.upperBound - 1)/\($1)" },
      range("with an equals sign", .reads) { "bytes=\($0.lowerBound)-\($0.upperBound - 1)/\($1)" },
      range("in hexadecimal", .fails("Content-Range")) { "bytes 0x\(String($0.lowerBound, radix: 16))-\($1)/\($1)" },
      range("that is a word", .fails("Content-Range")) { _, _ in "all of it" },
      range("that is empty", .fails("Content-Range")) { _, _ in "" },
      OddAnswer("a part with two Content-Ranges that differ", .fails("")) { context in
        guard let range = context.range, let object = context.object else { return nil }
        var answer = context.honest
        answer.fields.append(
          ServedField("Content-Range", "bytes 0-\(range.count - 1)/\(object.bytes.count)"))
        return answer
      },
      OddAnswer("a part with its Content-Range twice", .reads) { context in
        guard let field = context.honest.fields.first(where: { $0.name == "Content-Range" }) else { return nil }
        var answer = context.honest
        answer.fields.append(field)
        return answer
      },
      length("that is negative", "-1"), length("that overflows", "99999999999999999999"),
      length("that is the largest number", "9223372036854775807"), length("that is a word", "many"),
      length("of zero", "0"),
      OddAnswer("a part without a length, up to the end of the connection", .either) { context in
        guard context.range != nil else { return nil }
        var answer = context.honest
        answer.fields["Content-Length"] = nil
        answer.ending = .close
        return answer
      },
      OddAnswer("a part without a length that ends early", .either) { context in
        guard let range = context.range, range.count > 1 else { return nil }
        var answer = context.honest
        answer.fields["Content-Length"] = nil
        answer.body = answer.body.prefix(range.count / 2)
        answer.ending = .close
        return answer
      },
    ]

    /// A part whose `Content-Range` says something else of the range and the size.
    private static func range(
      _ what: String, _ outcome: Outcome, _ text: @escaping @Sendable (Range<Int>, Int) -> String
    ) -> OddAnswer {
      OddAnswer("a part with a range \(what)", outcome) { context in
        guard let range = context.range, let object = context.object else { return nil }
        var answer = context.honest
        answer.fields["Content-Range"] = text(range, object.bytes.count)
        return answer
      }
    }

    /// A part whose `Content-Length` is another.
    private static func length(_ what: String, _ value: String) -> OddAnswer {
      OddAnswer("a part with a length \(what)", .fails("")) { context in
        guard context.range != nil else { return nil }
        var answer = context.honest
        answer.fields["Content-Length"] = value
        answer.ending = .close
        return answer
      }
    }
  }

#endif
