import { type Document, isScalar, LineCounter, parseAllDocuments, visit, type YAMLError } from 'yaml';
import { findMisplacedKey } from './find-misplaced-key.ts';
import { createLocate, createScalarAt, type Locate, type ScalarAt } from './locate.ts';
import type { TaskIssue } from '../task-error.ts';

/** Largest task.yaml, in bytes. */
export const LARGEST_YAML = 256 * 1024;

export type ParsedYaml =
  { ok: true; value: unknown; locate: Locate; scalarAt: ScalarAt } | { ok: false; issues: TaskIssue[] };

interface YamlProblem extends Pick<TaskIssue, 'expected' | 'got' | 'todo'> {
  /** The whole sentence, if "expected …, got …" would read badly. */
  says?: string;
}

/** Expected content of a file, for messages. */
export interface ExpectedContent {
  /** Name with its article: "a task". */
  what: string;
  /** Advice for an empty file. */
  begin: string;
}

/** Parses one YAML document, with the positions of its keys. Returns issues for any broken text; never throws. */
export function parseYaml(text: string, file: string, content: ExpectedContent): ParsedYaml {
  const counter = new LineCounter();
  const refuse = (problem: YamlProblem, offset?: number): ParsedYaml => ({
    ok: false,
    issues: [issueAt(problem, file, offset === undefined ? null : counter.linePos(offset))],
  });
  try {
    const source = text.replace(/^\ufeff/, '');
    // `logLevel` keeps the package's warnings as issues, so that an unknown tag is not ignored. `uniqueKeys` is off:
    // the package compares each key with all before it, which takes minutes in a file of many keys.
    const options = { lineCounter: counter, prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
    const documents = parseAllDocuments(source, options);
    const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
    // Lines after a tab are parsed at a wrong depth, so problems after it do not match what the person wrote.
    const tabs = problems.filter(({ code }) => code === 'TAB_AS_INDENT');
    const deep = problems.find(({ message }) => /call stack/i.test(message));
    if (deep) return refuse(problemOfThrow(deep, content.what));
    const issues = issuesOf(tabs.length > 0 ? tabs : problems, { source, documents, counter, file });
    if (issues.length > 0) return { ok: false, issues };
    const repeated = documents.flatMap(repeatedKeys).slice(0, MOST_ISSUES);
    if (repeated.length > 0)
      return {
        ok: false,
        issues: repeated.map(({ name, offset }) => issueAt(problemOfRepeat(name), file, counter.linePos(offset))),
      };
    const [document, second] = documents;
    if (!document || isEmpty(document.contents))
      return refuse({
        expected: content.what,
        got: 'an empty file',
        todo: content.begin,
      });
    if (second)
      return refuse(
        {
          expected: 'one document',
          got: `${documents.length} (separated by ---)`,
          todo: 'keep one to a file',
        },
        second.range[0],
      );
    const aliases = countAliases(document);
    if (aliases > MOST_ALIASES) return refuse(problemOfThrow(new Error(`${aliases} aliases`), content.what));
    const loose = looseAlias(document);
    if (loose) return refuse(problemOfAlias(loose.name), loose.offset);
    return {
      ok: true,
      value: plain(document),
      locate: createLocate(document, counter),
      scalarAt: createScalarAt(document),
    };
  } catch (error) {
    return refuse(problemOfThrow(error, content.what));
  }
}

const MOST_ISSUES = 20;

interface BrokenYaml {
  source: string;
  documents: readonly Document[];
  counter: LineCounter;
  file: string;
}

/** Codes of the problems that a key in a wrong column causes in the lines below it. */
const OF_INDENTATION: readonly string[] = ['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY'];

/** The issues of broken YAML; one for each misplaced key or open bracket, without those that follow from it. */
function issuesOf(problems: readonly YAMLError[], { source, documents, counter, file }: BrokenYaml): TaskIssue[] {
  const lines = source.split(/\r?\n/);
  const issues: TaskIssue[] = [];
  let lastAffected = 0;
  for (const problem of withoutConsequences(problems, (error) => counter.linePos(error.pos[0]).line)) {
    if (issues.length === MOST_ISSUES) break;
    const position = counter.linePos(problem.pos[0]);
    const bracket = isOpenBracket(problem) ? findOpenBracket(problem, documents, source) : null;
    if (bracket) {
      issues.push(issueAt(problemOfBracket(bracket.mark), file, counter.linePos(bracket.offset)));
      continue;
    }
    if (OF_INDENTATION.includes(problem.code) && position.line <= lastAffected && !isOpenBracket(problem)) continue;
    const key = findMisplacedKey(problem, position, lines);
    if (key) lastAffected = key.lastAffected;
    issues.push(
      key
        ? issueAt(key.problem, file, { line: key.line, col: key.column })
        : issueAt(problemOfError(problem), file, position),
    );
  }
  return issues;
}

const isEmpty = (contents: unknown): boolean => contents === null || (isScalar(contents) && contents.value === null);

/**
 * Most aliases, and most nodes that aliases expand to, against a "billion laughs" file. Each alias is searched in the
 * whole file.
 */
const MOST_ALIASES = 100;
const plain = (document: Document): unknown => document.toJS({ maxAliasCount: MOST_ALIASES });

function countAliases(document: Document): number {
  let count = 0;
  visit(document, { Alias: () => void (count += 1) });
  return count;
}

/** Keys that occur twice in one mapping, at their second position. */
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

const problemOfRepeat = (name: string): YamlProblem => ({
  expected: 'each key once',
  got: `${name} again`,
  todo: 'remove one of the two',
});

/** The first alias without an anchor; most often it is a glob without quotes. */
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

const problemOfAlias = (name: string): YamlProblem => ({
  expected: 'a value',
  got: `*${name}, an alias without an anchor &${name}`,
  todo: `a text that begins with * needs quotes: '*${name}'`,
});

function problemOfThrow(error: unknown, what: string): YamlProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError || /call stack/i.test(message))
    return {
      expected: what,
      got: `lists or mappings nested too deep (${message})`,
      todo: 'five levels are enough',
    };
  if (/alias/i.test(message))
    return {
      expected: `${what} written out`,
      got: `too many aliases (${message})`,
      todo: 'write the values instead of *aliases',
    };
  return { expected: 'valid YAML', got: `a file that is not (the parser says: ${message})`, todo: 'correct the file' };
}

const HINTS: Partial<Record<YAMLError['code'], YamlProblem>> = {
  TAB_AS_INDENT: { expected: 'blanks as indentation', got: 'a tab', todo: 'replace tabs by blanks' },
  BAD_INDENT: { expected: 'keys of one level in one column', got: 'another indentation', todo: 'line the keys up' },
  TAG_RESOLVE_FAILED: {
    expected: 'YAML without tags (such as !!js or !include)',
    got: 'a tag that is not known',
    todo: 'remove the tag',
  },
  MULTILINE_IMPLICIT_KEY: {
    expected: 'a key, a colon and a blank',
    got: 'a line without them',
    todo: 'write key: value, with a blank behind the colon',
  },
  BAD_DQ_ESCAPE: {
    expected: 'an escape that YAML knows in a text in double quotes',
    got: 'another',
    todo: 'put it in single quotes, where a backslash is a backslash',
  },
  MISSING_CHAR: { expected: 'a closed quote, bracket or brace, or a colon behind a key', got: 'none', todo: 'add it' },
};

const OPEN_BRACKET: YamlProblem = {
  expected: 'a list or mapping that is closed',
  got: 'an open bracket or brace above this line',
  todo: 'close it, or indent the lines in it further than its key',
};

interface Bracket {
  mark: '[' | '{';
  offset: number;
}

function problemOfBracket(mark: Bracket['mark']): YamlProblem {
  const closing = mark === '[' ? 'a ]' : 'a }';
  const todo = `add ${closing}, or indent the lines in it further than its key`;
  return { expected: closing, got: 'none', todo, says: `the ${mark} is not closed; ${todo}` };
}

/** The bracket of the list or mapping that a problem says is open; null if it is not found. */
function findOpenBracket({ message, pos }: YAMLError, documents: readonly Document[], source: string): Bracket | null {
  const mark = message.startsWith('Flow map') ? '{' : '[';
  let found: Bracket | null = null;
  for (const document of documents)
    visit(document, {
      Collection: (_key, { range }) => {
        // An open list or mapping ends at the position of its problem.
        if (!range || range[1] !== pos[0] || source[range[0]] !== mark) return undefined;
        found = { mark, offset: range[0] };
        return visit.BREAK;
      },
    });
  return found;
}

/** The first problem of each line, up to the first open bracket: the text after either is parsed wrongly. */
function withoutConsequences(
  problems: readonly YAMLError[],
  lineOf: (problem: YAMLError) => number,
): readonly YAMLError[] {
  const open = problems.findIndex(isOpenBracket);
  const before = open === -1 ? problems : problems.slice(0, open + 1);
  const reported = new Set<number>();
  return before.filter((problem) => {
    const line = lineOf(problem);
    const isFirst = !reported.has(line);
    reported.add(line);
    return isFirst || isOpenBracket(problem);
  });
}

const isOpenBracket = ({ message }: YAMLError): boolean => /^Flow (sequence|map) in block/.test(message);

function problemOfError(error: YAMLError): YamlProblem {
  const hint = isOpenBracket(error) ? OPEN_BRACKET : HINTS[error.code];
  const message = error.message.replace(/\s+/g, ' ');
  const quotes = 'put a text with : # { [ * & ! % @ or ` in it into quotes';
  if (!hint) return { expected: 'valid YAML', got: `a line that is not (the parser says: ${message})`, todo: quotes };
  return error.code === 'TAB_AS_INDENT' ? hint : { ...hint, got: `${hint.got} (the parser says: ${message})` };
}

function issueAt({ says, ...problem }: YamlProblem, file: string, at: { line: number; col: number } | null): TaskIssue {
  const message = says ?? `expected ${problem.expected}, got ${problem.got}; ${problem.todo}`;
  return { file, path: '(top)', line: at?.line ?? null, column: at?.col ?? null, nearest: null, message, ...problem };
}
