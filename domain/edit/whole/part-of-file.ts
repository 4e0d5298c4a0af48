/** Line numbers, as the whole text behind a path (`:4-6`, `#L4`), and in the info of a fence (`lines=4-6`, `{4-6}`). */
const NUMBERS = /^(?:[:#]\s?)?\(?L?\d{1,6}\s?[-–]\s?L?\d{1,6}\)?:?$|^(?::\s?|#L)\d{1,6}:?$/;
const ATTRIBUTE = /(?:^|[\s{])lines?\s?[=:]\s?["']?\d|\{\s?\d{1,6}(?:\s?[-–,]\s?\d{1,6})*\s?\}/i;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that say that a block is a part. */
const PART = setOf(
  'excerpt excerpts snippet snippets fragment fragments partial extract extracts part parts section sections ' +
    'portion portions piece chunk hunk region top bottom beginning start middle tail line lines abridged shortened ' +
    'auszug ausschnitt extrait fragmento extracto trecho фрагмент отрывок 片段 部分 节选 節選 抜粋 一部',
);
/** Words that may stand around those of `PART`. */
const AROUND = setOf(
  'a an the of in from at to and or on for is are with this that these here file code script function functions ' +
    'method methods block blocks class body content contents changed modified updated new edited relevant affected ' +
    'replaced replace replacing change changes edit edits update modify changing near around first last head end ' +
    'context only just showing shown see l',
);
/** `changes only`, but not `the only file changed`. */
const SOME = /^(?!.*\bfile\b)(?=.*\b(?:only|just)\b).*\b(?:changes|edits|updates|changed|edited|updated|modified)\b/;
/** A count of changed lines, which says nothing about a part. */
const COUNT = /^(?:changed |modified |updated |new )?\d{1,6} (?:changed |modified |updated |new )?lines?\b/;
/** `only the train function`, of whatever name. */
const ONLY =
  /^(?:only|just) (?:the )?(?:[\p{L}\p{N}_]{1,40} ){0,4}(?:function|method|class|line|lines|part|section|block)$/u;
const LONGEST = 100;

/**
 * True if the text behind the path, in a heading or in a fence's info string, says that the block is a part of the
 * file: line numbers, or a remark whose words all say so. `path` null: the text names no path.
 */
export function saysPart(text: string, path: string | null): boolean {
  const rest = behind(text, path).trim();
  if (rest === '' || rest.length > LONGEST) return false;
  const bare = rest.replace(/[`*"'”’»]+/g, '').trim();
  if (NUMBERS.test(bare) || ATTRIBUTE.test(rest)) return true;
  const remark = (bare.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ');
  if (COUNT.test(remark)) return false;
  const words = remark.split(' ').filter((word) => !/^l?\d+$/.test(word));
  if (ONLY.test(remark)) return true;
  if (!SOME.test(remark) && !words.some((word) => PART.has(word))) return false;
  return words.every((word) => PART.has(word) || AROUND.has(word));
}

/** The text behind the path; empty if the text does not hold the path. */
function behind(text: string, path: string | null): string {
  if (path === null) return text;
  const form = text.normalize('NFC').replace(/\s+/g, ' ');
  const whole = path.normalize('NFC').replace(/\s+/g, ' ');
  const at = form.indexOf(whole);
  return at < 0 ? '' : form.slice(at + whole.length);
}
