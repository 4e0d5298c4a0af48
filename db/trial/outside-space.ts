import { and, inArray } from 'drizzle-orm';
import { outsideSpace } from '../../domain/search/outside-space.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Tx } from '../connect.ts';
import { candidateFiles } from '../schema.ts';
import { loadOriginalTexts } from '../task/task-version.ts';

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
  const ids = [...new Set(candidateIds)];
  if (paths.length === 0 || ids.length === 0) return new Map();
  const { candidateId, path, content } = candidateFiles;
  // The view, since the dashboard's role may not read the tables of files.
  const rows = await db
    .select({ candidateId, path, content })
    .from(candidateFiles)
    .where(and(inArray(candidateId, ids), inArray(path, paths)));
  // A file that was not mutable when a candidate was made is in the version's workspace.
  const originals = rows.length < ids.length * paths.length ? await loadOriginalTexts(db, version.hash) : {};
  return new Map(
    ids.flatMap((id) => {
      const own = rows.filter((row) => row.candidateId === id);
      const files = new Map<string, string | undefined>(Object.entries(originals));
      for (const file of own) files.set(file.path, file.content?.toString());
      const known = [...files].filter((file): file is [string, string] => file[1] !== undefined);
      const outside = outsideSpace(knobs, Object.fromEntries(known));
      return outside.length === 0 ? [] : [[id, outside] as const];
    }),
  );
}
