import { type Document, isScalar, LineCounter, parseAllDocuments, type YAMLError } from 'yaml';
import { createLocate, type Locate } from './locate.ts';
import type { TaskIssue } from './task-error.ts';

/** Largest task.yaml, in bytes. */
export const LARGEST_YAML = 256 * 1024;

export type ParsedYaml = { ok: true; value: unknown; locate: Locate } | { ok: false; issues: TaskIssue[] };

type Told = Pick<TaskIssue, 'expected' | 'came' | 'todo'>;

/** Parses one YAML document with the places of its keys; whatever a person can break gives issues, never a throw. */
export function parseYaml(text: string, file: string): ParsedYaml {
  const counter = new LineCounter();
  const refuse = (told: Told, offset?: number): ParsedYaml => ({
    ok: false,
    issues: [issueAt(told, file, offset === undefined ? null : counter.linePos(offset))],
  });
  try {
    const source = text.replace(/^\ufeff/, '');
    // An error is a warning here: an unknown tag must not be dropped in silence.
    const documents = parseAllDocuments(source, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
    const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
    if (problems.length > 0)
      return {
        ok: false,
        issues: problems.slice(0, 20).map((problem) => issueAt(toldBy(problem), file, counter.linePos(problem.pos[0]))),
      };
    const [document, second] = documents;
    if (!document || isEmpty(document.contents))
      return refuse({
        expected: 'a task',
        came: 'an empty file',
        todo: 'begin with name, description, mutable, run, metric, evaluator; `perpetua init DIR` writes an example',
      });
    if (second)
      return refuse(
        { expected: 'one document', came: `${documents.length} (separated by ---)`, todo: 'keep one task to a file' },
        second.range[0],
      );
    return { ok: true, value: plain(document), locate: createLocate(document, counter) };
  } catch (error) {
    return refuse(toldByThrow(error));
  }
}

const isEmpty = (contents: unknown): boolean => contents === null || (isScalar(contents) && contents.value === null);

// At most 100 nodes may come out of aliases: a "billion laughs" file is refused here.
const plain = (document: Document): unknown => document.toJS({ maxAliasCount: 100 });

function toldByThrow(error: unknown): Told {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError)
    return {
      expected: 'a task',
      came: `lists or mappings nested too deep (${message})`,
      todo: 'a task is at most five levels deep',
    };
  if (/alias/i.test(message))
    return {
      expected: 'a task written out',
      came: `too many or unresolved aliases (${message})`,
      todo: 'write the values instead of *aliases',
    };
  return { expected: 'YAML', came: message, todo: 'correct the file' };
}

const HINTS: Partial<Record<YAMLError['code'], Told>> = {
  DUPLICATE_KEY: { expected: 'each key once', came: 'the same key again', todo: 'remove one of the two' },
  TAB_AS_INDENT: { expected: 'blanks as indentation', came: 'a tab', todo: 'replace tabs by blanks' },
  BAD_INDENT: { expected: 'keys of one level in one column', came: 'another indentation', todo: 'line the keys up' },
  TAG_RESOLVE_FAILED: {
    expected: 'plain YAML',
    came: 'a tag that is not known (such as !!js or !include)',
    todo: 'remove the tag',
  },
  MISSING_CHAR: { expected: 'a closed quote, bracket or brace, or a colon behind a key', came: 'none', todo: 'add it' },
};

function toldBy(problem: YAMLError): Told {
  const hint = HINTS[problem.code];
  const said = problem.message.replace(/\s+/g, ' ');
  if (!hint) return { expected: 'YAML', came: said, todo: 'a text with : # { [ * & ! % @ or ` in it needs quotes' };
  return { ...hint, came: `${hint.came} (${said})` };
}

function issueAt(told: Told, file: string, at: { line: number; col: number } | null): TaskIssue {
  const message = `expected ${told.expected}, came ${told.came}; ${told.todo}`;
  return { file, path: '(top)', line: at?.line ?? null, column: at?.col ?? null, nearest: null, message, ...told };
}
