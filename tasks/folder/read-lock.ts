import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Problem } from '../../domain/issue/problem.ts';
import { environmentFiles, isUvLock, lockProblems } from '../../domain/task/environment/lock-problems.ts';
import type { Environment } from '../../domain/schema/environment.ts';
import { decodeText } from '../decode-text.ts';
import type { TaskFile } from './read-folder.ts';

const LARGEST_MB = 16;
const HOW = '`uv pip compile --generate-hashes requirements.in -o requirements.lock` writes a lock';

/** Reads the files from which a task's environment is built; they lie beside its task.yaml. */
export async function readLock(
  folder: string,
  environment: Environment | undefined,
): Promise<{ files: TaskFile[]; problems: Problem[] }> {
  const read = environment === undefined ? [] : environmentFiles(environment).map((path) => readFileAt(folder, path));
  const parts = await Promise.all(read);
  const files = parts.flatMap(({ file }) => file ?? []);
  const problems = parts.flatMap(({ problem }) => problem ?? []);
  const [lock] = files;
  if (environment === undefined || lock === undefined || problems.length > 0 || isUvLock(environment))
    return { files, problems };
  const text = new TextDecoder().decode(lock.content);
  const loose = lockProblems(text).map((line) => wrong('each package with one version', JSON.stringify(line), HOW));
  return { files, problems: loose };
}

const wrong = (expected: string, got: string, todo: string): Problem => ({
  path: ['environment', 'lock'],
  expected,
  got,
  todo,
});

async function readFileAt(folder: string, path: string): Promise<{ file?: TaskFile; problem?: Problem }> {
  const at = join(folder, path);
  const not = (got: string, todo: string) => ({ problem: wrong(`a text file ${path} beside task.yaml`, got, todo) });
  const there = await lstat(at).catch(() => null);
  if (!there) return not('nothing', path.endsWith('pyproject.toml') ? 'uv.lock needs it: copy it here' : HOW);
  if ((await realpath(at)) !== (await realpath(folder)) + sep + path.replaceAll('/', sep))
    return not('a symbolic link', 'copy the file here');
  if (!there.isFile()) return not('no regular file', 'name a file');
  if (there.size > LARGEST_MB * 1024 * 1024)
    return not(`${Math.ceil(there.size / 1024 / 1024)} MiB`, `keep it under ${LARGEST_MB} MiB`);
  const content = await readFile(at);
  if (decodeText(content)?.includes('\0') !== false) return not('no UTF-8 text', 'save it as UTF-8');
  return { file: { path, content, executable: false } };
}
