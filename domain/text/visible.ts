// Invisible characters and those that turn the order of others: what a text shows must be what it holds.
const HIDDEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** A piece of a text; a `hidden` one stands for characters that nobody would see, by their names. */
export interface Piece {
  text: string;
  hidden: boolean;
}

/** Pieces of a text in order, with every control and bidirectional character named: `ESC`, `U+202E`. Line breaks and tabs stay. */
export function visiblePieces(raw: string): Piece[] {
  const text = raw.replaceAll('\r\n', '\n');
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
    const name = nameOf(found);
    const last = pieces.at(-1);
    if (last?.hidden && index === from) last.text += ` ${name}`;
    else pieces.push({ text: name, hidden: true });
    from = index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

const C0 =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** ASCII's controls by their abbreviations, all others by their numbers. */
function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return C0[code] ?? (code === 0x7f ? 'DEL' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
}

/** The same as one text, names in brackets. */
export const visible = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text))
    .join('');
