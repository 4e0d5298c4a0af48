import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeText } from './decode-text.ts';
import { nearestOf } from './explain.ts';
import { LARGEST_YAML } from './parse-yaml.ts';
import { TaskError } from './task-error.ts';

/** The text of a folder's task.yaml; throws TaskError where there is none that can be read. */
export async function readTaskYaml(folder: string): Promise<string> {
  const file = join(folder, 'task.yaml');
  const wrong = (expected: string, came: string, todo: string): TaskError => {
    const message = `expected ${expected}, came ${came}; ${todo}`;
    const place = { file, path: '(top)', line: null, column: null, nearest: null };
    return new TaskError([{ ...place, expected, came, todo, message }]);
  };
  const found = await stat(file).catch(() => null);
  if (!found) {
    const names = await readdir(folder).catch(() => null);
    if (names === null)
      throw wrong(
        'a task folder',
        `${basename(folder)}, which is none`,
        'correct the path; `perpetua init DIR` makes one',
      );
    const nearest = nearestOf('task.yaml', names);
    const todo = nearest === null ? '`perpetua init DIR` writes one' : `rename ${nearest}`;
    throw wrong('a file task.yaml in the folder', 'none', todo);
  }
  if (!found.isFile()) throw wrong('a file', 'no regular file', 'replace it by a YAML file');
  if (found.size > LARGEST_YAML)
    throw wrong(
      `at most ${LARGEST_YAML / 1024} KiB`,
      `${Math.ceil(found.size / 1024)} KiB`,
      'data belongs in the workspace or in setup',
    );
  const text = decodeText(await readFile(file));
  if (text === null)
    throw wrong('a text in UTF-8', 'other bytes', 'save it as UTF-8 (in most editors: Save with encoding)');
  const control = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
  if (control >= 0)
    throw wrong('a text', `a control character in line ${text.slice(0, control).split('\n').length}`, 'remove it');
  return text;
}
