/** Most characters of one answer to an agent: about 8,000 tokens. */
export const LONGEST_ANSWER = 30_000;

/** Limits of texts and lists, tried in turn until the answer is short enough. */
const LIMITS = [
  { characters: 2000, items: 20 },
  { characters: 600, items: 10 },
  { characters: 200, items: 5 },
  { characters: 80, items: 2 },
];

/** A JSON value as text of at most LONGEST_ANSWER characters. `isWhole`: false if parts were left out. */
export function shortJson(value: unknown): { text: string; isWhole: boolean } {
  const whole = JSON.stringify(value);
  if (whole.length <= LONGEST_ANSWER && !hasLong(value)) return { text: whole, isWhole: true };
  for (const limit of LIMITS) {
    const text = JSON.stringify(shorten(value, limit));
    if (text.length <= LONGEST_ANSWER) return { text, isWhole: false };
  }
  return { text: sliceText(whole, { offset: 0 }).text, isWhole: false };
}

type Limit = (typeof LIMITS)[number];

function hasLong(value: unknown): boolean {
  const [{ characters, items } = { characters: 0, items: 0 }] = LIMITS;
  if (typeof value === 'string') return value.length > characters;
  if (Array.isArray(value)) return value.length > items || value.some(hasLong);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLong);
}

/** Keeps both ends of a long text, and the last items of a long list. */
function shorten(value: unknown, limit: Limit): unknown {
  if (typeof value === 'string') return shortText(value, limit);
  if (Array.isArray(value)) {
    const left = value.length - limit.items;
    const kept = value.slice(Math.max(0, left)).map((item) => shorten(item, limit));
    return left > 0 ? [`[${left} earlier items left out]`, ...kept] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner, limit)]));
}

function shortText(text: string, { characters }: Limit): string {
  const left = text.length - characters;
  if (left <= 0) return text;
  const half = characters / 2;
  return `${text.slice(0, half)}[${left} characters left out]${text.slice(-half)}`;
}

/** A part of a text from an offset in characters. `next`: offset of the rest; null if there is none. */
export function sliceText(
  text: string,
  { offset, most = LONGEST_ANSWER }: { offset: number; most?: number },
): { text: string; next: number | null } {
  const end = offset + most;
  if (end >= text.length) return { text: text.slice(offset), next: null };
  // A character outside the basic plane has two halves.
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  const next = isSplit ? end - 1 : end;
  return { text: text.slice(offset, next), next };
}

/** The last whole lines of a text that fit. `left`: number of earlier lines that were left out. */
export function lastLines(text: string, most = LONGEST_ANSWER): { text: string; left: number } {
  const lines = text.split('\n').filter((line) => line !== '');
  let used = 0;
  const at = lines.findLastIndex((line) => (used += line.length + 1) > most);
  return { text: lines.slice(at + 1).join('\n'), left: at + 1 };
}
