#if HTTP

  extension OddAnswer {
    /// Other fields, and codings of the body.
    static let fields: [OddAnswer] = [
      changed("names in small letters", .reads) { answer, _ in
        answer.fields = answer.fields.map { ServedField($0.name.lowercased(), $0.value) }
      },
      changed("names in capitals", .reads) { answer, _ in
        answer.fields = answer.fields.map { ServedField($0.name.uppercased(), $0.value) }
      },
      changed("a tag of another version beside the right one", .either) { answer, _ in
        answer.fields.append(ServedField("ETag", "\"another\""))
      },
      changed("a tag that is new in each answer", .either) { answer, context in
        answer.fields["ETag"] = "\"\(context.memory.count("new tag"))\""
      },
      changed("a weak tag that is new in each answer", .either) { answer, context in
        answer.fields["ETag"] = "W/\"\(context.memory.count("new weak tag"))\""
      },
      changed("an empty tag", .either) { answer, _ in answer.fields["ETag"] = "" },
      changed("a tag of 7,000 bytes", .either) { answer, _ in
        answer.fields["ETag"] = "\"" + String(repeating: "t", count: 7000) + "\""
      },
      changed("a date of change in the year 9999", .reads) { answer, _ in
        answer.fields["Last-Modified"] = "Fri, 31 Dec 9999 23:59:59 GMT"
      },
      changed("a date of change that is none", .reads) { answer, _ in answer.fields["Last-Modified"] = "yesterday" },
      changed("a server's date that is none", .reads) { answer, _ in answer.fields["Date"] = "99 Foo -1" },
      changed("an age and an expiry that overflow", .reads) { answer, _ in
        answer.fields["Age"] = "99999999999999999999"
        answer.fields["Cache-Control"] = "max-age=99999999999999999999"
      },
      changed("a coding that is none", .reads) { answer, _ in answer.fields["Content-Encoding"] = "UTF-8" },
      changed("a coding called identity", .reads) { answer, _ in answer.fields["Content-Encoding"] = "identity" },
      changed("a coding that nobody knows", .either) { answer, _ in answer.fields["Content-Encoding"] = "zip64" },
      changed("a stored type of several parts", .reads) { answer, _ in
        answer.fields["Content-Type"] = "multipart/form-data; boundary=x"
      },
      changed("a hundred cookies", .reads) { answer, _ in
        answer.fields += (0..<100).map { ServedField("Set-Cookie", "c\($0)=v; Path=/") }
      },
      changed("a transfer coding that nobody knows", .fails("")) { answer, _ in
        answer.fields["Transfer-Encoding"] = "zip64"
        answer.ending = .close
      },
      changed("bytes of another object, with its tag", .fails("")) { answer, context in
        // Who names no version may be told of any.
        guard context.request["If-Match"] != nil else { return }
        answer.body = answer.body.map { ~$0 }[...]
        answer.fields["ETag"] = "\"another\""
        answer.fields["Last-Modified"] = "Thu, 01 Jan 2015 00:00:00 GMT"
      },
    ]

    /// The right part of the object, changed.
    private static func changed(
      _ name: String, _ outcome: Outcome, _ change: @escaping @Sendable (inout ScriptedAnswer, AnswerContext) -> Void
    ) -> OddAnswer {
      OddAnswer(name, outcome) { context in
        guard context.range != nil else { return nil }
        var answer = context.honest
        change(&answer, context)
        return answer
      }
    }
  }

#endif
