// Characters that are invisible or change the order of others, so that a reader would not see what a text contains.
const HIDDEN = new RegExp(
  [
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f]/u,
    /[\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/u,
    /\p{Surrogate}/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** A piece of a text. A `hidden` piece has the names of characters that a reader would not see. */
export interface Piece {
  text: string;
  hidden: boolean;
}

/** Pieces of a text in order, with names for hidden characters: `ESC`, `U+202E`. Line breaks and tabs stay. */
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

const C0 = [
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI',
  'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US',
].flatMap((names) => names.split(' '));

/** The name of a hidden character: the abbreviation of an ASCII control, else its code point. */
function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return C0[code] ?? (code === 0x7f ? 'DEL' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
}

/** A text with the names of hidden characters in brackets. */
export const visible = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text))
    .join('');
