import { columnsOf } from '../answer/indent.ts';
import { isOmissionPhrase } from './omission-phrase.ts';

const OPEN = /^(?:#+|\/\/+|\/\*+|\*+|--+|;+|%+|<!--|\{\/\*|"""|'''|rem\s|\(\*|\{#|<%--)\s*/i;
const CLOSE = /\s*(?:\*\/\}?|-->|"""|'''|\*\)|#\}|--%>|--+|=+|#+|\*+)$/;
const LEADING_DOTS = /^(?:\.{3,}|…+|\. \. \.)/;
const TRAILING_DOTS = /(?:\.{3,}|…+|\. \. \.)$/;
const BRACKETS = /^[[({<](.*)[\])}>]$/;
/** A remark behind a body that is none: `pass  # as before`, `{ ... } // unchanged`. */
const BEHIND = /^(.{0,120}?(?:\.\.\.|…|\bpass|\{\s?\}?)) *(?:#|\/\/|\/\*) *(.*)$/;
const TO_DO = /^(?:todo|fixme|note|nb)\b[\s:.–—-]*/i;
/** Words of a remark that has dots at its beginning. */
const MOST_WORDS = 12;
const LONGEST = 160;
/** First words of lines that are code, whatever follows. */
const CODE =
  /^(?:import|from|class|def|function|return|export|include|for|while|with|if|elif|else|try|not|raise|yield|assert|del|global|print|set|let|const|var|type|use)\b/;
/** What a remark outside of a comment is made of, unlike code. */
const PLAIN = /^[\p{L}\p{N}\s.…,'’!-]*$/u;

/** The first line of `content`, a `whole` new file or a part, that stands for code which was left out and is not in `old`; or null. */
export function findOmissionLine(old: string, content: string, { whole }: { whole: boolean }): string | null {
  let there: Set<string> | undefined;
  let gone: ((name: string) => boolean) | undefined;
  let above = '';
  const lines = content.split(/\r\n|\n|\r/);
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (text === '') continue;
    if (text.length <= LONGEST) {
      // In a remark that may say so, a name of the old file that the new one has nowhere else is one of its entries.
      const isTold = whole && OPEN.test(text) && TOLD.test(text);
      if (isTold) gone ??= namesGone(old, content);
      const plain = isTold ? text.replace(NAME, (name) => (gone?.(name) ? 'entry' : name)) : text;
      if (standsForCode(plain, above)) {
        there ??= new Set(old.split(/\r\n|\n|\r/).map((one) => one.trim()));
        const isStub = DOTS.test(text) && isBodyBelow(lines, at, above) && !there.has(above);
        if (!isStub && !there.has(text)) return text;
      }
    }
    above = text;
  }
  return null;
}

const TOLD =
  /unchanged|unmodified|untouched|omitted|identical|original|existing|remain|previous|\brest\b|\bsame\b|as before/i;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;
const DOTS = /^(?:\.\.\.|…)[;,]?$/;

/** Tells names that stand in the old text, and once at most in the new one. */
function namesGone(old: string, content: string): (name: string) => boolean {
  const there = new Set(old.match(NAME));
  const counts = new Map<string, number>();
  for (const name of content.match(NAME) ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => there.has(name) && (counts.get(name) ?? 0) <= 1;
}

/** Whether the dots in that line are all of a body, but for a docstring above them. */
function isBodyBelow(lines: readonly string[], at: number, above: string): boolean {
  const depth = columnsOf(lines[at] ?? '');
  const next = lines.slice(at + 1, at + 20).find((line) => line.trim() !== '') ?? '';
  return depth > 0 && columnsOf(next) < depth && /(?:"""|''')$/.test(above);
}

function standsForCode(text: string, above: string): boolean {
  const comment = OPEN.exec(text)?.[0];
  if (comment !== undefined) return isRemark(text.slice(comment.length).replace(CLOSE, ''), true);
  // `...` is a body of its own in Python's stubs, and a text between tags.
  if (DOTS.test(text)) return !/:\s*(?:#.*)?$|>$/.test(above);
  const behind = BEHIND.exec(text)?.[2];
  return isRemark((behind ?? text).replace(CLOSE, ''), behind !== undefined);
}

/** `inComment`: dots at its beginning are enough, whatever the words; outside of one brackets or the words have to say it. */
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
