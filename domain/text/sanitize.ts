// Sanitizes text from models and runs, so that no escape sequence reaches a terminal.

const ESCAPES = /\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])/g;

// Controls, and invisible characters whose width differs between terminals: soft hyphens, joiners, variation selectors,
// tags.
const CONTROLS = new RegExp(
  [
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]/u,
    /[\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Foreign text without the sequences that colour a terminal or move its cursor. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPES, '');

/** Foreign text without escapes and controls; line breaks and tabs stay. */
export const sanitize = (text: string): string =>
  withoutEscapes(text.replace(/\r\n?|[\u2028\u2029]/g, '\n')).replace(CONTROLS, '');

/** Foreign text as one line without escapes and controls. */
export const oneLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();
