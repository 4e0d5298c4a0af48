/** True if the content has these bytes, in hex with or without blanks, at a position. */
export function hasBytes(content: Uint8Array, hex: string, at = 0): boolean {
  const bytes = hex.replaceAll(' ', '').match(/../g) ?? [];
  return bytes.every((byte, index) => content[at + index] === parseInt(byte, 16));
}

/** Reads an unsigned number of 1 to 8 bytes, the lowest byte first; NaN beyond the end of the content. */
export function readNumber(content: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index -= 1) value = value * 256 + (content[at + index] ?? NaN);
  return value;
}

/** Text of the bytes, each as the character of its number. */
export const latin1 = (content: Uint8Array): string => {
  let text = '';
  for (const byte of content) text += String.fromCharCode(byte);
  return text;
};
