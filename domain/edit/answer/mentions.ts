import type { KnownPaths } from './known-paths.ts';
import { looksLikeName } from './path.ts';
import { wordsOf } from './words.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const EXTENSIONS = setOf(
  'py pyi ipynb yaml yml json jsonl toml ini cfg conf env md rst txt csv tsv xml html css scss ' +
    'js jsx mjs cjs ts tsx mts cpp hpp cc cu cuh rs go java kt rb php lua jl sql sh bash zsh bat ps1 proto tex lock',
);
const FILES = /^(?:Make|Docker|Rake|Gem|Proc|Jenkins|Snake|Pip)file$/i;
const LONGEST = 400;
const SHORT = 100;

/** True if a line mentions a file that is not known: a name with a file extension, or a tool's file like `Makefile`. */
export function mentionsOther(line: string, known: readonly string[]): boolean {
  return fileNames(line).some((name) => !known.some((path) => isPartOf(name.toLowerCase(), path.toLowerCase())));
}

/**
 * True if a line may mean a file other than `own`: it mentions another file, or the whole line could be a name.
 * Connecting words (`Then`, `Reasoning:`), numbers, and `words` of the file itself (`lr`, in backticks) are no names.
 */
export function mayNameOther(
  whole: string,
  { own, known, words }: { own: string; known: KnownPaths; words: ReadonlySet<string> },
): boolean {
  const line = whole.slice(0, LONGEST);
  if (mentionsOther(line, [own]) || OTHER.test(line)) return true;
  const parts = wordsOf(line);
  const mentioned = known.spokenOf(parts);
  if (mentioned.length > 0) return mentioned.some((path) => path !== own);
  return (
    looksLikeName(line) && ![...parts].every((part) => CONNECTING.has(part) || words.has(part) || /^\d+$/.test(part))
  );
}

const OTHER = /\b(?:other|another|second|third|next|last) file\b/i;
const CONNECTING = setOf(
  'then next also and first firstly second secondly third thirdly now finally lastly last another again plus further ' +
    'or otherwise reason reasoning rationale explanation note why because result results step edit change continued ' +
    'more block text code original existing old exact',
);

/** Known path that is the only text in backticks in a short line; null if the line also means another file. */
export function quotedPath(line: string, known: KnownPaths): string | null {
  if (line.length > SHORT || /\b(?:as|like|unlike|match\w{0,4}|see|than)\b/i.test(line)) return null;
  const [quoted, ...more] = [...line.matchAll(/`+([^`]+)`+/g)].map(([, inner = '']) => inner);
  return quoted === undefined || more.length > 0 || mentionsOther(line, known.list) ? null : known.named(quoted);
}

const isPartOf = (name: string, path: string): boolean =>
  path === name || path.endsWith(`/${name}`) || path.endsWith(` ${name}`);

function fileNames(line: string): string[] {
  const words = line
    .slice(0, LONGEST)
    .normalize('NFC')
    .split(/[\s`"'“”‘’()<>[\]{}=*,;:|?!]+/);
  return words
    .map((word) => word.replace(/^(?:\.?\/)+/, '').replace(/\.$/, ''))
    .filter((word) => FILES.test(word) || (word.includes('.') && EXTENSIONS.has(extensionOf(word))));
}

const extensionOf = (word: string): string => word.slice(word.lastIndexOf('.') + 1).toLowerCase();
