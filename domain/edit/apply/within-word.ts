const WORD = /[\p{L}\p{N}\p{M}_\u200c\u200d]/u;
const LETTER = /[\p{L}_]/u;
const DIGIT = /\p{N}/u;

/**
 * True if a cut before the character at `at` would divide a name or a number: `x|s`, `1|0`, `1|.5`, `1e|-3`, `|-|1`,
 * `$|x`, `max|-steps`. A point between names (`self.|lr`) and an operator between blanks are bounds.
 */
export function isWithinWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const before = characterBefore(text, at);
  const after = characterAt(text, at);
  // A surrogate pair is one character.
  if (/[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))) return true;
  if (WORD.test(before) && WORD.test(after)) return true;
  if (before === '$' && WORD.test(after)) return true;
  if (WORD.test(before) && after === '$') return WORD.test(characterAt(text, at + 1));
  return isWithinNumber(text, at) || isWithinDashes(text, at);
}

function isWithinNumber(text: string, at: number): boolean {
  const [first, before, after, next] = [at - 2, at - 1, at, at + 1].map((index) => text.charAt(index)) as Four;
  if (before === '.' && DIGIT.test(after)) return first !== '.';
  if (before === '.' && DIGIT.test(first) && /^e[+-]?\d/i.test(text.slice(at, at + 3))) return true;
  if (DIGIT.test(before) && after === '.')
    return DIGIT.test(next) || /^e[+-]?\d/i.test(text.slice(at + 1, at + 4)) || endsAsNumber(text, at);
  // Groups of digits, and a decimal comma.
  if (before === ',' && DIGIT.test(after)) return DIGIT.test(first);
  if (DIGIT.test(before) && after === ',') return DIGIT.test(next);
  if (/[eE]/.test(before) && /[+-]/.test(after)) return DIGIT.test(next) && /[\d.]/.test(first);
  if (/[+-]/.test(before) && DIGIT.test(after) && /[eE]/.test(first)) return /[\d.]/.test(text.charAt(at - 3));
  // A sign belongs to its number, unless it follows an operand and so may be an operator.
  if (/[-+−]/.test(before) && (DIGIT.test(after) || (after === '.' && DIGIT.test(next))))
    return !/[\p{L}\p{N}_)\]}"'`]/u.test(first);
  return false;
}

/** True for a number that ends with a point (`= 2.`), unlike the end of a sentence. */
const endsAsNumber = (text: string, at: number): boolean =>
  text.charAt(at + 1) !== '.' && /[=([{,:+\-*/<>]\s{0,8}\d{1,20}$/.test(text.slice(Math.max(0, at - 32), at));

type Four = [string, string, string, string];

/** True if the cut divides a name with dashes, as in CSS, YAML and command lines. */
function isWithinDashes(text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  if (before === '-' && WORD.test(after))
    return (
      WORD.test(characterBefore(text, at - 1)) || /(?:^|[^-\p{L}\p{N}])--$/u.test(text.slice(Math.max(0, at - 3), at))
    );
  if (!WORD.test(before) || after !== '-') return false;
  const next = characterAt(text, at + 1);
  // A single letter before the dash is a variable: `n-1`.
  return LETTER.test(next) || (DIGIT.test(next) && (DIGIT.test(before) || WORD.test(characterBefore(text, at - 1))));
}

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const characterBefore = (text: string, at: number): string =>
  /[\udc00-\udfff]/.test(text.charAt(at - 1)) ? characterAt(text, at - 2) : text.charAt(at - 1);
