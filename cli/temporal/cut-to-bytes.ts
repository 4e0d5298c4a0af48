/** A text of at most so many bytes of UTF-8: cut between characters, with an ellipsis. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
