/// The characters of the first PCs, in which names are that are not marked as UTF-8 (APPNOTE.TXT, appendix D).
enum CodePage437 {
  /// Those of the bytes from 128 on. Below they are ASCII.
  static let upperHalf = Array(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
      .unicodeScalars)

  static func decode(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes { text.unicodeScalars.append(byte < 128 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 128]) }
    return text
  }
}
