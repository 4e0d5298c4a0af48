import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Language as Grammar, Parser } from 'web-tree-sitter';
import { languageOf, type Language } from '../../domain/search/known/language.ts';
import { hasAmbiguousSpace, readTokens } from '../../domain/search/known/tokens.ts';
import type { ComparedFile } from '../../domain/search/known/sameness.ts';

/** Most characters of a file that is parsed. */
const LARGEST = 200_000;
/** Most characters of a candidate's files that are parsed, together. */
const LARGEST_SUM = 400_000;
/**
 * Most reports of progress during a parse: about 0.4 s of CPU, in which the worker does nothing else. A usual file of
 * the largest size needs 3,000. A bound in seconds would give the same file another result on a busy machine.
 */
const MOST_REPORTS = 5_000;

/** Reads programs for comparison. It decides nothing about whether they are legal. */
export interface Syntax {
  /** The file as it counts for sameness: exact text for other languages, large files, and files that do not parse. */
  read: (path: string, text: string) => Promise<ComparedFile>;
  /** All files of a candidate, by path. If they are large together, all count by their exact text. */
  readAll: (files: Readonly<Record<string, string>>) => Promise<Record<string, ComparedFile>>;
}

/** `folder`: the folder of the grammars, `tree-sitter-python.wasm` etc. They are loaded at the first use. */
export function createSyntax({ folder, runtime }: { folder: string; runtime: string }): Syntax {
  const parsers = new Map<Language, Promise<Parser>>();
  let begun: Promise<void> | null = null;
  const load = async (language: Language): Promise<Parser> => {
    begun ??= readFile(runtime).then((wasmBinary) => Parser.init({ wasmBinary }));
    await begun;
    const parser = new Parser();
    return parser.setLanguage(await Grammar.load(await readFile(join(folder, `tree-sitter-${language}.wasm`))));
  };
  const parserOf = (language: Language): Promise<Parser> => {
    const known = parsers.get(language) ?? load(language);
    parsers.set(language, known);
    return known;
  };
  const read: Syntax['read'] = async (path, text) => {
    const language = languageOf(path);
    if (language === null || text.length > LARGEST || hasAmbiguousSpace(language, text)) return { text };
    const parser = await parserOf(language);
    // A parse blocks the worker: its other work continues between two files.
    await setImmediate();
    const tokens = parse(parser, { language, text });
    return tokens === null ? { text } : { tokens };
  };
  return {
    read,
    readAll: async (files) => {
      const entries = Object.entries(files);
      const parsed = entries.filter(([path]) => languageOf(path) !== null);
      const isLarge = parsed.reduce((sum, [, text]) => sum + text.length, 0) > LARGEST_SUM;
      const compared: Record<string, ComparedFile> = {};
      for (const [path, text] of entries) compared[path] = isLarge ? { text } : await read(path, text);
      return compared;
    },
  };
}

/** The tokens of a program; null if it does not parse, or not within its bound, or its tree lacks a part of it. */
function parse(parser: Parser, { language, text }: { language: Language; text: string }): string[] | null {
  let reports = 0;
  const progressCallback = (): boolean => (reports += 1) > MOST_REPORTS;
  parser.reset();
  const tree = parser.parse(text, null, { progressCallback });
  if (tree === null) return null;
  try {
    if (tree.rootNode.hasError) return null;
    const cursor = tree.walk();
    try {
      return readTokens(cursor, { language, text });
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
}
