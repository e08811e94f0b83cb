#!/usr/bin/env python3
"""Rewrites Swift files so that one program holds all their mutants, and the environment chooses one of them.

An operator becomes one of its own, with the same precedence: `a < b` becomes `a <^~%^^ b`, a function that does `a <= b` if
the mutant 17 is chosen, and `a < b` otherwise. So operands need not be parsed. A number becomes a call that returns one more.

Usage: mutants.py LIST FILE…   rewrites the files, and writes a line for each mutant into LIST: number, file, line, what changes.
       mutants.py LIST --without NUMBER… FILE…   the same without some, which do not compile. Needs the original files.

What is not mutated: comments, strings, declarations, patterns, messages and conditions of preconditions.
"""
import re, sys

# What each operator becomes, and its precedence.
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": ("||", "LogicalConjunctionPrecedence"), "||": ("&&", "LogicalDisjunctionPrecedence")}
SUMS = {"+": "-", "-": "+"}
CHANGES = {"+=": "-=", "-=": "+="}
OPERATOR = re.compile(r"(?<=\S) (<=|>=|==|!=|<|>|&&|\|\||\+=|-=|\+|-) (?=\S)")
NUMBER = re.compile(r"(?<![\w.$#@])(\d[\d_]*)(?![\w.]|\.\d)")
BOOLEAN = re.compile(r"(?<![\w.`])(true|false)(?![\w`])")
DECLARATION = re.compile(
    r"^\s*(@\w+(\([^)]*\))?\s+)*((public|package|internal|private|fileprivate|static|final|mutating|nonisolated|override"
    r"|borrowing|consuming|indirect)(\(\w+\))?\s+)*(func|init|subscript|struct|class|enum|protocol|extension|typealias"
    r"|associatedtype|import|actor|infix)\b")


def name(base, number):
    """An operator that no other mutant has."""
    digits = ""
    for _ in range(6):
        digits += "^~%*"[number % 4]
        number //= 4
    return base.replace("=", "%")[0] + digits


def code(line):
    """The line with strings and comments blanked, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + " " * (len(m[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda m: " " * len(m[0]), line)


def places(line, is_signature):
    """Where a line can be changed: (start, end, kind)."""
    text = code(line)
    stripped = text.strip()
    if is_signature or not stripped or stripped.startswith(("@", "#", "precondition", "assert", '"', "case .")):
        return []
    if re.match(r"case\b", stripped) and ":" not in stripped:
        return []
    first = 0
    if re.match(r"\s*(case|default)\b", text):
        # A pattern; what comes behind it can be changed.
        first = text.index(":") + 1 if ":" in text else len(text)
    found = []
    for match in OPERATOR.finditer(text):
        operator, start, end = match[1], match.start(1), match.end(1)
        before, after = text[:start].rstrip(), text[end:].lstrip()
        if start < first or before.endswith(('"', "]", "where")) and operator in "+-" or after.startswith(('"', "[", "nil")):
            continue
        # Generic arguments, tuples, and what only looks like a comparison.
        if before.endswith(")") and operator in COMPARISONS and "(" in after[:1]:
            continue
        if re.search(r"\bwhere [A-Z]", before) or "is " in before[-12:] and operator in "<>":
            continue
        found.append((start, end, operator))
    for match in NUMBER.finditer(text):
        if match.start() >= first and not re.search(r"(\bArray|\bcase) $", text[: match.start()]):
            found.append((match.start(), match.end(), "number"))
    for match in BOOLEAN.finditer(text):
        if match.start() >= first:
            found.append((match.start(), match.end(), "boolean"))
    return sorted(found)


def declared(number, operator):
    """The declaration of a mutant's operator."""
    symbol = name(operator, number)
    head = f"infix operator {symbol}: "
    function = f"@inline(__always) func {symbol} "
    chosen = f"Mutants.chosen == {number}"
    if operator in COMPARISONS:
        protocol = "Equatable" if operator in ("==", "!=") else "Comparable"
        return (
            f"{head}ComparisonPrecedence\n{function}<T: {protocol}>(a: T, b: T) -> Bool "
            f"{{ {chosen} ? a {COMPARISONS[operator]} b : a {operator} b }}\n")
    if operator in LOGIC:
        other, precedence = LOGIC[operator]
        return (
            f"{head}{precedence}\n{function}(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool "
            f"{{ {chosen} ? try a {other} b() : try a {operator} b() }}\n")
    if operator in SUMS:
        return (
            f"{head}AdditionPrecedence\n{function}<T: AdditiveArithmetic>(a: T, b: T) -> T "
            f"{{ {chosen} ? a {SUMS[operator]} b : a {operator} b }}\n")
    return (
        f"{head}AssignmentPrecedence\n{function}<T: AdditiveArithmetic>(a: inout T, b: T) "
        f"{{ if {chosen} {{ a {CHANGES[operator]} b }} else {{ a {operator} b }} }}\n")


SWITCH = """
#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The mutant that the environment chooses; 0 for none.
enum Mutants {
  static let chosen = getenv("RANGEIO_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

  @inline(__always) static func number<T: AdditiveArithmetic & ExpressibleByIntegerLiteral>(_ number: Int, _ value: T) -> T {
    chosen == number ? value + 1 : value
  }

  @inline(__always) static func boolean(_ number: Int, _ value: Bool) -> Bool { chosen == number ? !value : value }
}

"""


def main():
    arguments = sys.argv[1:]
    list_name, arguments = arguments[0], arguments[1:]
    without = set()
    if arguments[0] == "--without":
        arguments.pop(0)
        while arguments and arguments[0].isdigit():
            without.add(int(arguments.pop(0)))
    number, listed, targets = 0, [], {}
    for file in arguments:
        lines = open(file).read().split("\n")
        target = re.match(r"(.*Sources/[^/]+)/", file)[1]
        declarations = targets.setdefault(target, [])
        is_signature, depth = False, 0
        for index, line in enumerate(lines):
            text = code(line)
            if DECLARATION.match(text):
                is_signature = True
            # A declaration ends where its body begins; one on a single line has its body mutated with the line's end.
            body = text.find("{")
            begin = 0
            if is_signature and body >= 0:
                is_signature, begin = False, body + 1
            changed, end = "", 0
            for start, stop, kind in places(line, is_signature):
                if start < begin:
                    continue
                number += 1
                if number in without:
                    continue
                old = line[start:stop]
                if kind == "number":
                    new = f"Mutants.number({number}, {old})"
                    what = f"{old} becomes {int(old.replace('_', '')) + 1}"
                elif kind == "boolean":
                    new = f"Mutants.boolean({number}, {old})"
                    what = f"{old} is turned round"
                else:
                    new = name(kind, number)
                    declarations.append(declared(number, kind))
                    other = {**COMPARISONS, **SUMS, **CHANGES}.get(kind) or LOGIC[kind][0]
                    what = f"{kind} becomes {other}"
                changed += line[end:start] + new
                end = stop
                listed.append(f"{number}\t{file}\t{index + 1}\t{what}\t{line.strip()}")
            lines[index] = changed + line[end:]
        open(file, "w").write("\n".join(lines))
    for target, declarations in targets.items():
        open(f"{target}/Mutants.swift", "w").write(SWITCH + "".join(declarations))
    open(list_name, "w").write("\n".join(listed) + "\n")
    print(f"mutants: {len(listed)} in {len(arguments)} files")


main()
