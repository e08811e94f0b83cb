#if HTTP

  extension NumberedAnswer {
    /// Answers 39 to 43, and 19: the object is elsewhere.
    func redirectAnswer(_ context: AnswerContext) -> ScriptedAnswer? {
      guard self == .redirectLoop || context.hop == nil else { return nil }
      let path = context.request.target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
      switch self {
      case .refusedAfterRedirect: return redirect(307, numbered(context, path), context)
      case .schemeRedirect: return context.otherScheme.map { redirect(301, $0 + path + "?hop=39-0", context) }
      case .originRedirect: return context.elsewhere.map { redirect(302, $0 + path + "?hop=40-0", context) }
      case .redirectLoop:
        let next = context.hop == "41-0" ? "41-1" : "41-0"
        return redirect(307, context.variant.isMultiple(of: 2) ? "\(path)?hop=\(next)" : "\(path)?hop=41-0", context)
      case .oddLocation:
        guard context.variant.isMultiple(of: 2) else { return redirect(308, "?hop=42-0&note=ä b", context) }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return redirect(308, "./../\(path.split(separator: "/").dropLast().last ?? ".")/\(name)?hop=42-0", context)
      default:
        let signature = "&X-Amz-Date=\(HTTPTime.compact(context.date))&X-Amz-Expires=60&X-Amz-Signature=secret"
        return redirect(307, numbered(context, path) + signature, context)
      }
    }

    /// A location that this server tells from those that it gave before.
    private func numbered(_ context: AnswerContext, _ path: String) -> String {
      "\(context.origin)\(path)?hop=\(number)-\(context.memory.count("locations of \(number)"))"
    }

    private func redirect(_ status: Int, _ location: String, _ context: AnswerContext) -> ScriptedAnswer {
      .dated(ScriptedAnswer(status, [ServedField("Location", location)], text: "elsewhere\n"), context)
    }
  }

#endif
