import { readFile, stat } from 'node:fs/promises';
import { decodeText } from '../decode-text.ts';
import { LARGEST_YAML } from './parse-yaml.ts';
import type { TaskIssue } from '../task-error.ts';

export type FileProblem = Pick<TaskIssue, 'expected' | 'got' | 'todo'>;

/** Reads the text of a YAML file, or an issue about the file as a whole; null if there is no such file. */
export async function readYamlFile(file: string): Promise<{ text: string } | { issue: TaskIssue } | null> {
  const wrong = (problem: FileProblem, before?: string) => ({ issue: issueOfFile(file, problem, before) });
  const found = await stat(file).catch(() => null);
  if (!found) return null;
  if (!found.isFile()) return wrong({ expected: 'a file', got: 'no regular file', todo: 'replace it by a YAML file' });
  if (found.size > LARGEST_YAML)
    return wrong({
      expected: `at most ${LARGEST_YAML / 1024} KiB`,
      got: `${Math.ceil(found.size / 1024)} KiB`,
      todo: 'data belongs in the workspace or in setup',
    });
  const bytes = await readFile(file);
  const text = decodeText(bytes);
  if (text === null) return wrong(...problemOfBytes(bytes));
  const control = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
  if (control < 0) return { text };
  return wrong({ expected: 'a text', got: 'a control character', todo: 'remove it' }, text.slice(0, control));
}

/** An issue of the file as a whole, or at the position after the text `before`. */
export function issueOfFile(file: string, problem: FileProblem, before?: string): TaskIssue {
  const lines = before?.split('\n');
  const position = { line: lines?.length ?? null, column: lines ? (lines.at(-1) ?? '').length + 1 : null };
  const message = `expected ${problem.expected}, got ${problem.got}; ${problem.todo}`;
  return { file, path: '(top)', ...position, nearest: null, message, ...problem };
}

/** The problem of bytes that are no UTF-8, with the text before the first wrong byte; without that text for UTF-16. */
function problemOfBytes(bytes: Buffer): [FileProblem, string?] {
  const expected = { expected: 'a text in UTF-8', todo: 'save it as UTF-8 (in most editors: Save with encoding)' };
  if (/^(fffe|feff)/.test(bytes.toString('hex', 0, 2))) return [{ ...expected, got: 'UTF-16' }];
  const before = bytes.toString('utf8').split('\ufffd')[0] ?? '';
  return [{ ...expected, got: 'other bytes' }, before];
}
