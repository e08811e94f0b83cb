import FormatSupport
import ParquetFormat
import RangeIO

func printMetadata(_ file: ParquetFile) {
  let metadata = file.metadata
  print("rows: \(metadata.rowCount)")
  print("row groups: \(metadata.rowGroups.count)")
  print("created by: \(printable(metadata.createdBy))")
  for column in file.columns {
    let kind =
      column.maxRepetitionLevel > 0 ? "repeated" : column.maxDefinitionLevel > 0 ? "optional" : "required"
    print("column \(printable(column.name)): \(kind) \(column.type)")
  }
  for (index, group) in metadata.rowGroups.enumerated() {
    print("row group \(index): \(group.rowCount) rows")
    for (column, chunk) in zip(file.columns, group.columns) {
      let encodings = chunk.encodings.map(\.description).joined(separator: " ")
      print(
        "  \(printable(column.name)): \(chunk.valueCount) values, \(chunk.compressedSize) bytes at \(chunk.offset), "
          + "\(chunk.codec), \(encodings)")
    }
  }
}

/// One line a value. Text is in quotes; bytes that are no text are hexadecimal.
func printValues(_ values: ColumnValues) {
  switch values {
  case .int32(let values): for value in values { print(value.map(\.description) ?? "null") }
  case .int64(let values): for value in values { print(value.map(\.description) ?? "null") }
  case .double(let values): for value in values { print(value.map(\.description) ?? "null") }
  case .bytes(let values): for value in values { print(value.map(shown) ?? "null") }
  }
}

func shown(_ bytes: Bytes) -> String {
  guard let text = String(validating: bytes, as: UTF8.self) else {
    return "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": quoted += "\\\(scalar)"
    // As JSON has it.
    case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
      let digits = String(scalar.value, radix: 16)
      quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}

// Prints the schema and the row groups of a Parquet file, or the values of a column in a row group.
await runProgram("remote-parquet", usage: "FILE|URL [COLUMN [ROW-GROUP]]", 0...2, opening: ParquetFile.opening) {
  reader, arguments in
  let file = try await ParquetFile(reader)
  guard let column = arguments.first else { return printMetadata(file) }
  let number = arguments.count > 1 ? arguments[1] : "0"
  guard let rowGroup = Int(number) else {
    throw FormatError.notFound("'\(printable(number))' is no row group's number")
  }
  printValues(try await file.values(of: column, rowGroup: rowGroup))
}
