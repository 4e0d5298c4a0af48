import { join } from 'node:path';
import { listNames } from '../../../files.ts';
import { stageDirectory, type Layout } from '../../run-protocol/paths.ts';
import type { KnownStage } from './identity.ts';
import { lstatOptional } from './lstat-optional.ts';
import { stageIdOfRun, RunFile } from '../attempt/run-file.ts';
import { jsonIn } from '../stage.ts';

/** Stages from which existing run directories were made. */
interface Used {
  /** Ids of the stages, or inodes for runs of the previous version. */
  ids: Set<string>;
  /** Hashes of the stages of runs that name neither. */
  hashes: Set<string>;
}

/** True if a run was made from a stage. A run without an id counts only if it is not older than the stage. */
export async function isUsed(layout: Layout, { hash, id }: KnownStage): Promise<boolean> {
  const manifest = await lstatOptional(join(stageDirectory(layout, hash), 'manifest.json'));
  const { ids, hashes } = await usedStages(layout, manifest && { sinceNs: manifest.mtimeNs });
  return ids.has(id) || hashes.has(hash);
}

/**
 * Reads which stages the runs of all installations use, since installations share the stages. `sinceNs`: earliest
 * modification time of runs without an id that count.
 */
export async function usedStages(layout: Layout, { sinceNs = 0n } = {}): Promise<Used> {
  const used: Used = { ids: new Set(), hashes: new Set() };
  for await (const path of runFiles(join(layout.home, 'runs'))) {
    const { data } = RunFile.safeParse(await jsonIn(path));
    if (data === undefined) continue;
    if (data.stageId === undefined && ((await lstatOptional(path))?.mtimeNs ?? 0n) < sinceNs) continue;
    const id = stageIdOfRun(data);
    if (id === undefined) used.hashes.add(data.stageHash);
    else used.ids.add(id);
  }
  return used;
}

async function* runFiles(runs: string): AsyncGenerator<string> {
  for (const installation of await listNames(runs))
    for (const run of await listNames(join(runs, installation)))
      for (const attempt of await listNames(join(runs, installation, run)))
        yield join(runs, installation, run, attempt, 'run.json');
}
