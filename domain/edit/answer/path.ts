import type { KnownPaths } from './known-paths.ts';

const FILE_WORDS =
  'file(?:[ _-]?(?:name|path))?|path(?:name)?|in file|in|' +
  '文件名?|檔案|路径|ファイル名?|파일|файл|datei|fichier|archivo|arquivo|plik';
const LABEL = new RegExp(
  String.raw`^(?:(?:new|changed|modified|updated|edited|full|whole)\s+)?(?:${FILE_WORDS})[*_]{0,2}\s*[:：=]\s*`,
  'i',
);
const LEADS: RegExp[] = [
  /^#{1,6}\s+/,
  /^[-*+•>]\s+/,
  /^\(?\d{1,3}[.):]\s+/,
  /^(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|={2,})\s*/,
  /^\p{Extended_Pictographic}\ufe0f?\s*/u,
  /^(?:edit|change|file|step|patch|part)\s?#?\d{1,3}\s?(?:[:：.)(–—]|-\s)\s*/i,
  /^<(?:file|path|file_?name|file_?path)>\s*/i,
  LABEL,
  /^(?:\*\*|__|`+|["'“‘«<[({【《*_])\s*/,
];
const BEFORE = /^(?:(?:#{1,6}|[-*]|\d+[.)])\s+)?(?:\*\*)?(?:(?:file(?:name)?|path)\s*:)?\s*(?:\*\*)?\s*/i;
const REMARK = /\s\([^()]{0,40}\)$/;
const LONGEST = 400;
/** Most decorations before a path. */
const MOST_LEADS = 6;

/**
 * The path that a line names, or null. Known paths come first, in every decoration that models use: a heading, a list,
 * `File:`, bold, quotes, backticks, a colon or a remark behind it. Else text that looks like a path (`src/train.py`).
 */
export function pathInLine(line: string, known: KnownPaths): string | null {
  const text = line.trim();
  if (text === '' || text.length > LONGEST) return null;
  const plain = text.replace(/[\u200b\u2060\ufeff]/g, '').replace(BECOMES, '');
  return (
    knownIn(text, known) ??
    (plain === text ? null : knownIn(plain, known)) ??
    knownBehindWords(plain, known) ??
    (/^<\w+\s/.test(text) ? knownAttribute(text, known) : null) ??
    pathLike(text)
  );
}

const WHOLE = '(?:(?:full|new|whole|complete|entire|updated|modified|final) ){0,2}';
const LEAD_INS = [
  'in|for|to|file',
  '(?:changes?|edits?|updates?|patch)(?: (?:to|in|of|for))?',
  'modify|(?:updated?|modified|changed|edited)',
  "here(?: is|’s|'s)",
  `(?:(?:here(?: is|’s|'s) )?the )?${WHOLE}(?:contents?|version|text|code) of`,
];
const VERBS = new RegExp(
  `^(?:(?:now|then|and|next|also|finally|first|second|third),? )?(?:${LEAD_INS.join('|')}) (?:the )?${WHOLE}(?:file )?`,
  'i',
);
/** Words behind a path. */
const BECOMES = /\s+(?:becomes|is now|now reads|now is|as follows)\s*[:：]?$/i;

/** The known path behind a few words, with nothing after it: `In \`b.py\`:`. */
function knownBehindWords(text: string, known: KnownPaths): string | null {
  const rest = text.replace(/^(?:#{1,6}|[-*]|\d{1,3}[.)])\s+/, '').replace(/^[*_]{1,2}/, '');
  const words = VERBS.exec(rest)?.[0];
  if (words === undefined) return null;
  return known.named(rest.slice(words.length).replace(/^["'`*]{1,3}|["'`*:：]{1,4}$/g, ''));
}

function knownIn(text: string, known: KnownPaths): string | null {
  let rest = text;
  for (let i = 0; i <= MOST_LEADS; i += 1) {
    const found = known.named(rest) ?? known.begins(rest);
    if (found !== null) return found;
    const lead = LEADS.map((pattern) => pattern.exec(rest)?.[0] ?? '').find((start) => start !== '');
    if (lead === undefined) return null;
    rest = rest.slice(lead.length);
  }
  return null;
}

function pathLike(text: string): string | null {
  const plain = withoutEnd(text.replace(BEFORE, ''));
  const quoted = /^(`+)([^`]+)\1$/.exec(plain)?.[2];
  const bare = (quoted ?? plain).trim().replace(/^\.\//, '');
  if (/[\s`"'<>|*]/.test(bare) || bare === '') return null;
  return looksLikePath(bare) ? bare : null;
}

/** Removes closing marks from the end, part by part. One regular expression would try every position as the start. */
function withoutEnd(text: string): string {
  const bold = cutEnd(cutEnd(text, '**'), ':').trimEnd();
  return cutEnd(bold, '**').replace(REMARK, '');
}

const cutEnd = (text: string, end: string): string => (text.endsWith(end) ? text.slice(0, -end.length) : text);

const ATTRIBUTE_NAMES = 'path|file|title|name|filename|filepath|file_path|src|source';
const ATTRIBUTE_VALUE = '(?:"([^"]*)"|\'([^\']*)\'|`([^`]*)`|(\\S+))';
const ATTRIBUTE = new RegExp(String.raw`(?:${ATTRIBUTE_NAMES})\s{0,3}[=:]\s{0,3}${ATTRIBUTE_VALUE}`, 'gi');
const knownAttribute = (text: string, known: KnownPaths): string | null => {
  const values = [...text.matchAll(ATTRIBUTE)].flatMap(([, ...given]) => given.filter((value) => value !== undefined));
  return values.map((value) => known.named(value)).find((path) => path !== null) ?? null;
};

const LANGUAGE = /^[\w+#.-]{1,30}(?::|\s+)/;

/** The path in a fence's info string (`python src/train.py`, `python:src/train.py`, `title="a.txt"`), or null. */
export function pathInInfo(info: string, known: KnownPaths): string | null {
  const text = info.trim();
  if (text === '' || text.length > LONGEST) return null;
  // Most info strings are a language alone.
  if (/^[\w+#-]*$/.test(text)) return known.named(text);
  const named = [...text.matchAll(ATTRIBUTE)].map(([, ...values]) => values.find((value) => value !== undefined) ?? '');
  const behind = text.replace(LANGUAGE, '');
  const unwrapped = [...named, text, behind].map((part) => part.replace(/^[{("'`]+|[})"'`,;:]+$/g, ''));
  for (const candidate of [...named, text, behind, ...unwrapped]) {
    const found = known.named(candidate);
    if (found !== null) return found;
  }
  const begun = known.begins(behind);
  if (begun !== null) return begun;
  const last = text.split(/\s+/).at(-1) ?? '';
  const bare = last.replace(/^(?:[a-z]+:|(?:path|file|title|name|filename)=)/i, '').replace(/^["']|["']$/g, '');
  return known.named(bare) ?? (looksLikePath(bare) ? bare : null);
}

/** A caption that announces content and names no file. */
const CAPTION = /^[*_]{0,2}(?:changes?|edits?|old|new|before|after|code|patch|fix|update)[*_]{0,2}[:：][*_]{0,2}$/i;
/** Capitalised word with a colon, as at the beginning of a sentence. */
const WORD_WITH_COLON = /^[*_]{0,2}\p{Lu}\p{Ll}+[*_]{0,2}[:：][*_]{0,2}$/u;

/** True if a line without a known path may be meant as a path: a single word, quoted text, or text behind `File:`. */
export function looksLikeName(line: string): boolean {
  const text = line.trim().replace(/^(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+/, '');
  if (LABEL.test(text.replace(/^[*_`]+/, ''))) return true;
  if (CAPTION.test(text) || WORD_WITH_COLON.test(text)) return false;
  const bare = text.replace(/[:：*_]+$/, '').replace(/^[*_]+/, '');
  return /^(?:`[^`]+`|"[^"]+"|'[^']+'|\S+)$/.test(bare) || /\.\w{1,10}$/.test(bare);
}

/** True if a line gives a file name for the text that follows: behind `File:`, in backticks, or as a single word. */
export function saysName(line: string): boolean {
  const text = line.trim();
  return LABEL.test(text.replace(/^[*_#\s]+/, '')) || /^(?:[*_#\s]*`[^`\s]+`[*_]*:?|[\w+@-]+)$/.test(text);
}

/** True for a name with an extension or a folder; false for the end of a sentence, a number or a web address. */
const looksLikePath = (text: string): boolean =>
  ((text.includes('/') && !/[\s:]|[./]$/.test(text)) || /^[\w@+.-]*\.[A-Za-z]\w{0,9}$/.test(text)) &&
  !/^\d+(?:\.\d+)*$/.test(text);

/** The known file that a line `DELETE path` deletes, or null. */
export function deletedPath(line: string, known: KnownPaths): string | null {
  const name = /^\s*(?:[-*]\s+)?\**DELETE(?: FILE)?\**:?\s+(.+?)\s*$/.exec(line)?.[1];
  return name === undefined ? null : known.named(name.replace(/^[`*"']+|[`*"']+$/g, ''));
}
