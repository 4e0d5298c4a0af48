import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluateSpec } from '../evaluate.ts';
import { foldersIn } from '../compute/local/evaluator-sandbox.ts';
import { isUnchanged } from '../compute/local/stage/is-unchanged.ts';
import { pathExists, readOptional, writeFiles } from '../files.ts';
import { removeTree } from '../remove-tree.ts';
import { OWNER, removeAbandoned } from './remove-abandoned.ts';

const PREFIX = 'evaluation-';
const parentOf = (home: string): string => join(home, 'evaluations');

/** A path as long as those of all fresh directories of a home. */
export const anyDirectory = (home: string): string => join(parentOf(home), `${PREFIX}XXXXXX`);

/** Makes a fresh directory that only this user can enter, with the folder `work` for the evaluator. */
export async function freshDirectory(home: string): Promise<string> {
  const parent = parentOf(home);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent);
  const directory = await mkdtemp(join(parent, PREFIX));
  await writeFile(join(directory, OWNER), await thisProcess());
  await mkdir(foldersIn(directory).work, { mode: 0o700 });
  return directory;
}

/** This process as "pid start boot namespace"; empty if the system has no /proc. */
async function thisProcess(): Promise<string> {
  const stat = await readOptional('/proc/self/stat');
  if (stat === undefined) return '';
  const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${process.pid} ${start} ${boot} ${await readlink('/proc/self/ns/pid')}`;
}

/** Writes the evaluator's files into a fresh directory, with the artefacts beside them, read-only. */
export async function layOut(home: string, spec: EvaluateSpec): Promise<string> {
  const directory = await freshDirectory(home);
  const { work } = foldersIn(directory);
  try {
    await writeFiles(work, spec.files);
    const artefacts = join(work, 'artefacts');
    await mkdir(artefacts, { recursive: true });
    await writeFiles(artefacts, spec.artefacts);
    await makeReadOnly(artefacts);
    // Keeps a file of the task with that name.
    const runtime = join(work, 'runtime.json');
    if (!(await pathExists(runtime))) await writeFile(runtime, `${JSON.stringify(spec.runtime)}\n`, { mode: 0o444 });
    return directory;
  } catch (error) {
    await removeTree(directory);
    throw error;
  }
}

/** Paths of the evaluator's files that differ on disk from those of the task. */
export async function changedFiles(directory: string, { files }: EvaluateSpec): Promise<string[]> {
  const { work } = foldersIn(directory);
  const same = await Promise.all(
    files.map(({ path, content }) => {
      const hash = createHash('sha256').update(content).digest('hex');
      return isUnchanged({ size: content.length, hash }, work, path);
    }),
  );
  return files.filter((_, index) => !same[index]).map(({ path }) => path);
}

async function makeReadOnly(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadOnly(path);
    else await chmod(path, 0o444);
  }
  await chmod(folder, 0o555);
}
