// The escapes of a terminal: colours, cursor moves, titles.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// Control characters but line feed and tab, C1, marks that turn the direction of text or cannot be seen.
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Text without terminal escapes, control characters and lone surrogates; a line redrawn with `\r` keeps its last state. */
export function stripControls(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => (line.includes('\r') ? (line.split('\r').findLast((part) => part.trim() !== '') ?? '') : line))
    .join('\n')
    .replace(CONTROLS, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** One line of at most `max` characters. */
export function promptLine(text: string, max: number): string {
  return truncate(stripControls(text).replace(/\s+/g, ' ').trim(), max, 'head');
}

/** One line of at most `max` characters, its beginning and its end: what a program complains of stands last. */
export function truncateMiddle(text: string, max: number): string {
  const line = stripControls(text).replace(/\s+/g, ' ').trim();
  if (line.length <= max) return line;
  const end = Math.ceil((max - 3) * 0.6);
  return `${line.slice(0, max - 3 - end).replace(HALF, '')} … ${line.slice(line.length - end).replace(HALF, '')}`;
}

/** Half of a pair of surrogates at a cut would not survive UTF-8. */
const HALF = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

/** At most `max` characters of `text`: its head or its tail, with a note of how much is missing. */
export function truncate(text: string, max: number, keep: 'head' | 'tail'): string {
  if (text.length <= max) return text;
  const note = max >= 60 ? `[… ${text.length - max} or more characters cut …]` : max > 0 ? '…' : '';
  const room = Math.max(0, max - note.length - 1);
  const part = keep === 'head' ? text.slice(0, room) : text.slice(text.length - room);
  const whole = part.replace(HALF, '');
  return (keep === 'head' ? `${whole} ${note}` : `${note} ${whole}`).slice(0, max);
}
