import { type Document, isScalar, LineCounter, parseAllDocuments, visit, type YAMLError } from 'yaml';
import { createLocate, type Locate } from './locate.ts';
import type { TaskIssue } from '../task-error.ts';

/** Largest task.yaml, in bytes. */
export const LARGEST_YAML = 256 * 1024;

export type ParsedYaml = { ok: true; value: unknown; locate: Locate } | { ok: false; issues: TaskIssue[] };

type Told = Pick<TaskIssue, 'expected' | 'came' | 'todo'>;

/** What a file is meant to hold, for messages. */
export interface ExpectedContent {
  /** With its article: "a task". */
  what: string;
  /** What to do where there is nothing. */
  begin: string;
}

/** Parses one YAML document with the places of its keys; whatever a person can break gives issues, never a throw. */
export function parseYaml(text: string, file: string, meant: ExpectedContent): ParsedYaml {
  const counter = new LineCounter();
  const refuse = (told: Told, offset?: number): ParsedYaml => ({
    ok: false,
    issues: [issueAt(told, file, offset === undefined ? null : counter.linePos(offset))],
  });
  try {
    const source = text.replace(/^\ufeff/, '');
    // An error is a warning here: an unknown tag must not be dropped in silence.
    // The package compares each key with all before it: a file of many keys would take minutes.
    const options = { lineCounter: counter, prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
    const documents = parseAllDocuments(source, options);
    const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
    // What follows a tab is read at a wrong depth: its complaints are about nothing that a person wrote.
    const tabs = problems.filter(({ code }) => code === 'TAB_AS_INDENT');
    const deep = problems.find(({ message }) => /call stack/i.test(message));
    if (deep) return refuse(toldByThrow(deep, meant.what));
    const told = worthTelling(tabs.length > 0 ? tabs : problems).slice(0, 20);
    if (told.length > 0)
      return {
        ok: false,
        issues: told.map((problem) => issueAt(toldBy(problem), file, counter.linePos(problem.pos[0]))),
      };
    const repeated = documents.flatMap(repeatedKeys).slice(0, 20);
    if (repeated.length > 0)
      return {
        ok: false,
        issues: repeated.map(({ name, offset }) => issueAt(toldByRepeat(name), file, counter.linePos(offset))),
      };
    const [document, second] = documents;
    if (!document || isEmpty(document.contents))
      return refuse({
        expected: meant.what,
        came: 'an empty file',
        todo: meant.begin,
      });
    if (second)
      return refuse(
        {
          expected: 'one document',
          came: `${documents.length} (separated by ---)`,
          todo: 'keep one to a file',
        },
        second.range[0],
      );
    const aliases = countAliases(document);
    if (aliases > MOST_ALIASES) return refuse(toldByThrow(new Error(`${aliases} aliases`), meant.what));
    const loose = looseAlias(document);
    if (loose) return refuse(toldByAlias(loose.name), loose.offset);
    return { ok: true, value: plain(document), locate: createLocate(document, counter) };
  } catch (error) {
    return refuse(toldByThrow(error, meant.what));
  }
}

const isEmpty = (contents: unknown): boolean => contents === null || (isScalar(contents) && contents.value === null);

/** Nodes that may come out of aliases, and aliases (each is looked for in the whole file): no "billion laughs". */
const MOST_ALIASES = 100;
const plain = (document: Document): unknown => document.toJS({ maxAliasCount: MOST_ALIASES });

function countAliases(document: Document): number {
  let count = 0;
  visit(document, { Alias: () => void (count += 1) });
  return count;
}

/** Keys that stand twice in one mapping, at their second place. */
function repeatedKeys(document: Document): { name: string; offset: number }[] {
  const found: { name: string; offset: number }[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) found.push({ name, offset: key.range?.[0] ?? 0 });
        seen.add(name);
      }
    },
  });
  return found.toSorted((a, b) => a.offset - b.offset);
}

const toldByRepeat = (name: string): Told => ({
  expected: 'each key once',
  came: `${name} again`,
  todo: 'remove one of the two',
});

/** The first alias without its anchor; most often a glob that was written without quotes. */
function looseAlias(document: Document): { name: string; offset: number } | null {
  let found: { name: string; offset: number } | null = null;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      found = { name: alias.source, offset: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return found;
}

const toldByAlias = (name: string): Told => ({
  expected: 'a value',
  came: `*${name}, an alias of an anchor &${name} that there is not`,
  todo: `a text that begins with * needs quotes: '*${name}'`,
});

function toldByThrow(error: unknown, what: string): Told {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError || /call stack/i.test(message))
    return {
      expected: what,
      came: `lists or mappings nested too deep (${message})`,
      todo: 'five levels are enough',
    };
  if (/alias/i.test(message))
    return {
      expected: `${what} written out`,
      came: `too many aliases (${message})`,
      todo: 'write the values instead of *aliases',
    };
  return { expected: 'YAML', came: message, todo: 'correct the file' };
}

const HINTS: Partial<Record<YAMLError['code'], Told>> = {
  TAB_AS_INDENT: { expected: 'blanks as indentation', came: 'a tab', todo: 'replace tabs by blanks' },
  BAD_INDENT: { expected: 'keys of one level in one column', came: 'another indentation', todo: 'line the keys up' },
  TAG_RESOLVE_FAILED: {
    expected: 'plain YAML',
    came: 'a tag that is not known (such as !!js or !include)',
    todo: 'remove the tag',
  },
  MULTILINE_IMPLICIT_KEY: {
    expected: 'a key, a colon and a blank',
    came: 'a line without them',
    todo: 'write key: value, with a blank behind the colon',
  },
  BAD_DQ_ESCAPE: {
    expected: 'an escape that YAML knows in a text in double quotes',
    came: 'another',
    todo: 'put it in single quotes, where a backslash is a backslash',
  },
  MISSING_CHAR: { expected: 'a closed quote, bracket or brace, or a colon behind a key', came: 'none', todo: 'add it' },
};

const OPEN_BRACKET: Told = {
  expected: 'a list or mapping that is closed, its lines indented further than its key',
  came: 'a line that is not',
  todo: 'close the bracket or brace that was opened above, or indent what is in it',
};

/** What comes after a bracket that is not closed is read as something else than it is. */
function worthTelling(problems: readonly YAMLError[]): readonly YAMLError[] {
  const open = problems.findIndex(isOpenBracket);
  return open === -1 ? problems : problems.slice(0, open + 1);
}

const isOpenBracket = ({ message }: YAMLError): boolean => /^Flow (sequence|map) in block/.test(message);

function toldBy(problem: YAMLError): Told {
  const hint = isOpenBracket(problem) ? OPEN_BRACKET : HINTS[problem.code];
  const said = problem.message.replace(/\s+/g, ' ');
  if (!hint) return { expected: 'YAML', came: said, todo: 'a text with : # { [ * & ! % @ or ` in it needs quotes' };
  return { ...hint, came: `${hint.came} (${said})` };
}

function issueAt(told: Told, file: string, at: { line: number; col: number } | null): TaskIssue {
  const message = `expected ${told.expected}, came ${told.came}; ${told.todo}`;
  return { file, path: '(top)', line: at?.line ?? null, column: at?.col ?? null, nearest: null, message, ...told };
}
