import { outsideSpace } from '../../domain/search/outside-space.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Tx } from '../connect.ts';
import { loadOriginals } from '../task/task-version.ts';
import { findTexts } from './candidate.ts';

interface Version {
  hash: string;
  task: Pick<Task, 'knobs'>;
  mutablePaths: readonly string[];
}

/** Knobs by which candidates lie outside the search space of a task version, by candidate; those inside are missing. */
export async function findOutside(
  db: Tx,
  { candidateIds, version }: { candidateIds: readonly string[]; version: Version },
): Promise<Map<string, string[]>> {
  const { knobs } = version.task;
  const paths = version.mutablePaths.filter((path) => knobs.some(({ file }) => file === path));
  if (paths.length === 0) return new Map();
  const found = await findTexts(db, { candidateIds: [...new Set(candidateIds)], paths });
  // A file that was not mutable when a candidate was made is in the version's workspace.
  const isPartial = [...found.values()].some((texts) => paths.some((path) => texts[path] === undefined));
  const originals = isPartial ? await loadOriginals(db, version.hash) : [];
  const originalTexts = Object.fromEntries(
    originals.map(({ path, content }) => [path, Buffer.from(content).toString()]),
  );
  return new Map(
    [...found].flatMap(([id, texts]) => {
      const files = Object.entries({ ...originalTexts, ...texts });
      const known = files.filter((file): file is [string, string] => file[1] !== null);
      const outside = outsideSpace(knobs, Object.fromEntries(known));
      return outside.length === 0 ? [] : [[id, outside] as const];
    }),
  );
}
