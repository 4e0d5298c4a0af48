import { isWithinWord } from './within-word.ts';

/** Number of occurrences, overlaps included, and the position of the first (-1: none). */
export interface Found {
  count: number;
  first: number;
}

/**
 * Finds a non-empty text: as whole lines, from word to word, and anywhere. Linear for any input (Knuth, Morris and
 * Pratt, 1977); `indexOf` may take the product of the lengths if both texts are repetitive.
 */
export function findMatches(text: string, search: string): { lines: Found; words: Found; parts: Found } {
  const lines: Found = { count: 0, first: -1 };
  const words: Found = { count: 0, first: -1 };
  const parts: Found = { count: 0, first: -1 };
  const borders = bordersOf(search);
  let matched = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    while (matched > 0 && search.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (search.charCodeAt(matched) === code) matched += 1;
    if (matched < search.length) continue;
    const at = i + 1 - matched;
    add(parts, at);
    if (isEdge(text, at - 1) && isEdge(text, i + 1)) add(lines, at);
    if (!isWithinWord(text, at) && !isWithinWord(text, i + 1)) add(words, at);
    matched = borders[matched - 1] ?? 0;
  }
  return { lines, words, parts };
}

const isEdge = (text: string, at: number): boolean => at < 0 || at === text.length || text[at] === '\n';

function add(found: Found, at: number): void {
  if (found.count === 0) found.first = at;
  found.count += 1;
}

/** For each prefix of the text: the length of the longest shorter prefix that it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let i = 1; i < text.length; i += 1) {
    while (length > 0 && text[i] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[i] === text[length]) length += 1;
    borders[i] = length;
  }
  return borders;
}
