import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Language as Grammar, Parser } from 'web-tree-sitter';
import { languageOf, type Language } from '../../domain/search/known/language.ts';
import { readTokens } from '../../domain/search/known/tokens.ts';
import type { ComparedFile } from '../../domain/search/known/sameness.ts';

/** Most characters of a file that is parsed: about 0.2 s of CPU. */
const LARGEST = 200_000;
/**
 * Most reports of progress during a parse, of which a usual file of the largest size needs 3,000. A bound in seconds
 * would give the same file another result on a busy machine.
 */
const MOST_REPORTS = 20_000;

/** Reads programs for comparison. It decides nothing about whether they are legal. */
export interface Syntax {
  /** The file as it counts for sameness: exact text for other languages, large files, and files that do not parse. */
  read: (path: string, text: string) => Promise<ComparedFile>;
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
  return {
    read: async (path, text) => {
      const language = languageOf(path);
      if (language === null || text.length > LARGEST) return { text };
      const tokens = parse(await parserOf(language), { language, text });
      return tokens === null ? { text } : { tokens };
    },
  };
}

/** The tokens of a program; null if it does not parse, or not within its bound. */
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
      return readTokens(cursor, language);
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
}
