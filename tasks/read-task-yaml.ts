import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeText } from './decode-text.ts';
import { nearestKey } from '../domain/nearest-key.ts';
import { LARGEST_YAML } from './parse-yaml.ts';
import { TaskError, type TaskIssue } from './task-error.ts';

/** The text of a folder's task.yaml; throws TaskError where there is none that can be read. */
export async function readTaskYaml(folder: string): Promise<string> {
  const file = join(folder, 'task.yaml');
  const wrong = (told: Told, before?: string): TaskError => new TaskError([issueOf(file, told, before)]);
  const found = await stat(file).catch(() => null);
  if (!found) throw wrong(await toldByFolder(folder));
  if (!found.isFile()) throw wrong({ expected: 'a file', came: 'no regular file', todo: 'replace it by a YAML file' });
  if (found.size > LARGEST_YAML)
    throw wrong({
      expected: `at most ${LARGEST_YAML / 1024} KiB`,
      came: `${Math.ceil(found.size / 1024)} KiB`,
      todo: 'data belongs in the workspace or in setup',
    });
  const bytes = await readFile(file);
  const text = decodeText(bytes);
  if (text === null) throw wrong(...toldByBytes(bytes));
  const control = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
  if (control >= 0)
    throw wrong({ expected: 'a text', came: 'a control character', todo: 'remove it' }, text.slice(0, control));
  return text;
}

type Told = Pick<TaskIssue, 'expected' | 'came' | 'todo'>;

/** An issue of the file as a whole, or of the place behind the text `before`. */
function issueOf(file: string, told: Told, before?: string): TaskIssue {
  const lines = before?.split('\n');
  const place = { line: lines?.length ?? null, column: lines ? (lines.at(-1) ?? '').length + 1 : null };
  const message = `expected ${told.expected}, came ${told.came}; ${told.todo}`;
  return { file, path: '(top)', ...place, nearest: null, message, ...told };
}

async function toldByFolder(folder: string): Promise<Told> {
  const names = await readdir(folder).catch(() => null);
  if (names === null)
    return {
      expected: 'a task folder',
      came: `${basename(folder)}, which is none`,
      todo: 'correct the path; `npx perpetua init DIR` makes one',
    };
  const nearest = nearestKey('task.yaml', names);
  const todo = nearest === null ? '`npx perpetua init DIR` writes one' : `rename ${nearest}`;
  return { expected: 'a file task.yaml in the folder', came: 'none', todo };
}

/** Bytes that are no UTF-8, and the text before the first of them where they are not UTF-16 as a whole. */
function toldByBytes(bytes: Buffer): [Told, string?] {
  const told = { expected: 'a text in UTF-8', todo: 'save it as UTF-8 (in most editors: Save with encoding)' };
  if (/^(fffe|feff)/.test(bytes.toString('hex', 0, 2))) return [{ ...told, came: 'UTF-16' }];
  const before = bytes.toString('utf8').split('\ufffd')[0] ?? '';
  return [{ ...told, came: 'other bytes' }, before];
}
