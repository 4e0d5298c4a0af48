import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluateSpec } from '../evaluate.ts';
import { pathExists, listNames, writeFiles } from '../files.ts';
import { removeTree } from '../remove-tree.ts';

/** Age from which on the directory of a killed worker is removed. */
const STALE_MS = 24 * 3600 * 1000;

/** Makes a fresh directory that only this user can enter. */
export async function freshDirectory(home: string): Promise<string> {
  const parent = join(home, 'evaluations');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeStale(parent);
  return mkdtemp(join(parent, 'evaluation-'));
}

/** Writes the evaluator's files into a fresh directory, with the artefacts beside them, read-only. */
export async function layOut(home: string, spec: EvaluateSpec): Promise<string> {
  const directory = await freshDirectory(home);
  try {
    await writeFiles(directory, spec.files);
    const artefacts = join(directory, 'artefacts');
    await mkdir(artefacts, { recursive: true });
    await writeFiles(artefacts, spec.artefacts);
    await makeReadOnly(artefacts);
    // Keeps a file of the task with that name.
    const runtime = join(directory, 'runtime.json');
    if (!(await pathExists(runtime))) await writeFile(runtime, `${JSON.stringify(spec.runtime)}\n`, { mode: 0o444 });
    return directory;
  } catch (error) {
    await removeTree(directory);
    throw error;
  }
}

/** Paths of the evaluator's files that differ on disk from those of the task. */
export async function changedFiles(directory: string, spec: EvaluateSpec): Promise<string[]> {
  const same = await Promise.all(
    spec.files.map(async ({ path, content }) => {
      try {
        return Buffer.compare(await readFile(join(directory, path)), content) === 0;
      } catch (error) {
        if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
        throw error;
      }
    }),
  );
  return spec.files.filter((_, index) => !same[index]).map(({ path }) => path);
}

async function makeReadOnly(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadOnly(path);
    else await chmod(path, 0o444);
  }
  await chmod(folder, 0o555);
}

// Removes directories that killed workers left.
async function removeStale(parent: string): Promise<void> {
  for (const name of await listNames(parent)) {
    const directory = join(parent, name);
    const info = await stat(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (info && Date.now() - info.mtimeMs > STALE_MS) await removeTree(directory);
  }
}
