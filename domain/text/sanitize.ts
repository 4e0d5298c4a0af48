// Models and runs write what is shown here: no escape sequence of theirs reaches the terminal.

const ESCAPES = /\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])/g;

// With the invisible ones that terminals count differently: soft hyphens, joiners, variation selectors, tags.
const CONTROLS =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** Foreign text without the sequences that colour a terminal or move its cursor. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPES, '');

/** Foreign text made harmless; line breaks and tabs stay. */
export const sanitize = (text: string): string =>
  withoutEscapes(text.replace(/\r\n?|[\u2028\u2029]/g, '\n')).replace(CONTROLS, '');

/** Foreign text as one harmless line. */
export const oneLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();
