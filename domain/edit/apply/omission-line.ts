import { columnsOf } from '../answer/indent.ts';
import { isOmissionPhrase } from './omission-phrase.ts';

const OPEN = /^(?:#+|\/\/+|\/\*+|\*+|--+|;+|%+|<!--|\{\/\*|"""|'''|rem\s|\(\*|\{#|<%--)\s*/i;
const CLOSE = /\s*(?:\*\/\}?|-->|"""|'''|\*\)|#\}|--%>|--+|=+|#+|\*+)$/;
const LEADING_DOTS = /^(?:\.{3,}|…+|\. \. \.)/;
const TRAILING_DOTS = /(?:\.{3,}|…+|\. \. \.)$/;
const BRACKETS = /^[[({<](.*)[\])}>]$/;
/** A remark behind an empty body: `pass  # as before`, `{ ... } // unchanged`. */
const BEHIND = /^(.{0,120}?(?:\.\.\.|…|\bpass|\{\s?\}?)) *(?:#|\/\/|\/\*) *(.*)$/;
const TO_DO = /^(?:todo|fixme|note|nb)\b[\s:.–—-]*/i;
/** Most words of a remark that begins with dots. */
const MOST_WORDS = 12;
const LONGEST = 160;
const KEYWORDS =
  'import|from|class|def|function|return|export|include|for|while|with|if|elif|else|try|not|raise|yield|assert|del|' +
  'global|print|set|let|const|var|type|use';
/** First words of lines that are code, whatever follows. */
const CODE = new RegExp(String.raw`^(?:${KEYWORDS})\b`);
/** Characters of a remark outside of a comment, unlike code. */
const PLAIN = /^[\p{L}\p{N}\s.…,'’!-]*$/u;

/**
 * Finds the first line of `content` that stands for omitted code and is not in `old`; or null. `whole`: the content is
 * a whole new file, else a part.
 */
export function findOmissionLine(old: string, content: string, { whole }: { whole: boolean }): string | null {
  let oldLines: Set<string> | undefined;
  let isGone: ((name: string) => boolean) | undefined;
  let above = '';
  const lines = content.split(/\r\n|\n|\r/);
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (text === '') continue;
    if (text.length <= LONGEST) {
      // In a remark about omitted code, a name that the new file has nowhere else stands for an entry of the old file.
      const isOmission = whole && OPEN.test(text) && OMISSION.test(text);
      if (isOmission) isGone ??= namesGone(old, content);
      const plain = isOmission ? text.replace(NAME, (name) => (isGone?.(name) ? 'entry' : name)) : text;
      if (standsForCode(plain, above)) {
        oldLines ??= new Set(old.split(/\r\n|\n|\r/).map((oldLine) => oldLine.trim()));
        const isStub = DOTS.test(text) && isBodyBelow(lines, at, above) && !oldLines.has(above);
        if (!isStub && !oldLines.has(text)) return text;
      }
    }
    above = text;
  }
  return null;
}

const OMISSION =
  /unchanged|unmodified|untouched|omitted|identical|original|existing|remain|previous|\brest\b|\bsame\b|as before/i;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;
const DOTS = /^(?:\.\.\.|…)[;,]?$/;

/** Returns a test for names that occur in the old text, and at most once in the new one. */
function namesGone(old: string, content: string): (name: string) => boolean {
  const oldNames = new Set(old.match(NAME));
  const counts = new Map<string, number>();
  for (const name of content.match(NAME) ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => oldNames.has(name) && (counts.get(name) ?? 0) <= 1;
}

/** True if the dots in a line are a whole body, apart from a docstring above them. */
function isBodyBelow(lines: readonly string[], at: number, above: string): boolean {
  const depth = columnsOf(lines[at] ?? '');
  const next = lines.slice(at + 1, at + 20).find((line) => line.trim() !== '') ?? '';
  return depth > 0 && columnsOf(next) < depth && /(?:"""|''')$/.test(above);
}

function standsForCode(text: string, above: string): boolean {
  const comment = OPEN.exec(text)?.[0];
  if (comment !== undefined) return isRemark(text.slice(comment.length).replace(CLOSE, ''), true);
  // `...` may also be the body of a Python stub, or text between tags.
  if (DOTS.test(text)) return !/:\s*(?:#.*)?$|>$/.test(above);
  const behind = BEHIND.exec(text)?.[2];
  return isRemark((behind ?? text).replace(CLOSE, ''), behind !== undefined);
}

/** True for a remark about omitted code. In a comment leading dots suffice; elsewhere brackets or words must say so. */
function isRemark(given: string, inComment: boolean): boolean {
  const inner = BRACKETS.exec(given.trim())?.[1];
  const text = (inner ?? given).trim().replace(TO_DO, '');
  const [leads, trails] = [LEADING_DOTS.test(text), TRAILING_DOTS.test(text)];
  const words = text
    .replace(LEADING_DOTS, '')
    .replace(TRAILING_DOTS, '')
    .replace(/[()[\]{}<>*_`"'“”:;,.!=~-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (inComment && /^(?:etc|et cetera|and so (?:on|forth))$/i.test(words)) return true;
  if (words === '') return (leads || trails) && (inComment || inner !== undefined);
  const count = words.split(' ').length;
  if (leads && trails) return inComment || inner !== undefined || isOmissionPhrase(words) || count <= MOST_WORDS;
  if (inComment && leads && count <= MOST_WORDS) return true;
  // `...rest` and `[rest]` are code.
  if (!inComment && count === 1)
    return (
      /^(?:unchanged|omitted|elided|snip|snipped|truncated)$/i.test(words) && (inner !== undefined || leads || trails)
    );
  if (
    !inComment &&
    (!PLAIN.test(text) || /[^.]\.\p{L}/u.test(text) || (inner === undefined && !leads && !trails && CODE.test(text)))
  )
    return false;
  return isOmissionPhrase(words);
}
