import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { issueOfFile, readYamlFile, type Told } from './read-yaml-file.ts';
import { TaskError } from '../task-error.ts';

/** The text of a folder's task.yaml; throws TaskError where there is none that can be read. */
export async function readTaskYaml(folder: string): Promise<string> {
  const file = join(folder, 'task.yaml');
  const read = await readYamlFile(file);
  if (read === null) throw new TaskError([issueOfFile(file, await toldByFolder(folder))]);
  if ('issue' in read) throw new TaskError([read.issue]);
  return read.text;
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
