import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { RunPrograms } from '../../../domain/source/build-task.ts';
import { isInside } from '../../../infra/compute/run-protocol/sandbox-mounts.ts';
import { isSystemPath } from '../../../infra/compute/run-protocol/spec.ts';
import { refused } from '../../errors.ts';

/** A folder that runs see, and what to do if it contains the program. */
interface Shown {
  folder: string;
  why: string;
  remedy: string;
}

/**
 * Refuses a program whose own folder runs would see: candidates could read the evaluation's files, and keys, there.
 * `root`: the program's folder, without symbolic links.
 */
export function requireHiddenSource(root: string, { path, readable }: Pick<RunPrograms, 'path' | 'readable'>): void {
  const shown = [...path.map(shownForPath), ...readable.map(shownForReadable)];
  const found = shown.find(({ folder }) => isInside(root, realFolder(folder)));
  if (found) throw refusal(root, found);
  if (isSystemPath(root))
    throw refusal(root, {
      folder: root,
      why: 'every sandbox shows the folders of the system',
      remedy: 'Copy the program to a folder of yours',
    });
}

const shownForPath = (entry: string): Shown => ({
  // A sandbox shows the whole environment of a Python, which lies above its folder of programs.
  folder: basename(entry) === 'bin' && basename(dirname(entry)) !== '.local' ? dirname(entry) : entry,
  why: `the programs in ${entry} need it`,
  remedy: 'Keep the environment in a folder of its own, such as .venv, and name its interpreter in --run',
});

const shownForReadable = (folder: string): Shown => ({
  folder,
  why: 'PYTHONPATH, or a package that is installed in editable mode (pip install -e), names it',
  remedy: 'Install that package without -e, or copy the program out of the folder',
});

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

const refusal = (root: string, { folder, why, remedy }: Shown): Error =>
  refused(
    `--source: expected a folder that runs do not see, got ${root}: runs would see ${folder}, since ${why}. ` +
      `A candidate could read the evaluation's files there. ${remedy}.`,
  );
