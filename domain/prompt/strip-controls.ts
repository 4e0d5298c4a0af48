// Terminal escapes: colours, cursor movements, titles.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// Control characters except tab and line feed, C1, and marks that are invisible or change the direction of text.
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/**
 * Text without terminal escapes, control characters and lone surrogates. A line redrawn with `\r` keeps its last state.
 */
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

/** One line of at most `max` characters, with its middle cut out: an error message's cause is often at its end. */
export function truncateMiddle(text: string, max: number): string {
  const line = stripControls(text).replace(/\s+/g, ' ').trim();
  if (line.length <= max) return line;
  const end = Math.ceil((max - 3) * 0.6);
  return `${line.slice(0, max - 3 - end).replace(HALF, '')} … ${line.slice(line.length - end).replace(HALF, '')}`;
}

/** Half of a surrogate pair at a cut; it has no form in UTF-8. */
const HALF = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

/** At most `max` characters of `text`: its head or its tail, with a note on how many are missing. */
export function truncate(text: string, max: number, keep: 'head' | 'tail'): string {
  if (text.length <= max) return text;
  const note = cutNote(text.length - max, max);
  const room = Math.max(0, max - note.length - 1);
  const part = keep === 'head' ? text.slice(0, room) : text.slice(text.length - room);
  const whole = part.replace(HALF, '');
  return (keep === 'head' ? `${whole} ${note}` : `${note} ${whole}`).slice(0, max);
}

function cutNote(missing: number, max: number): string {
  if (max >= 60) return `[… ${missing} or more characters cut …]`;
  return max > 0 ? '…' : '';
}
