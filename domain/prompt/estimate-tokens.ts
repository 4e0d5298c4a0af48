/**
 * Tokens of a text whose endpoint does not tell: its bytes in UTF-8 over 3, rounded up. English and code have about 4
 * bytes a token in the vocabularies in use, so of what is said it counts too much rather than too little.
 */
export function estimateTokens(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return Math.ceil(bytes / 3);
}
