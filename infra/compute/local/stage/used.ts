import { join } from 'node:path';
import { listNames } from '../../../files.ts';
import { stageDirectory, type Layout } from '../../run-protocol/paths.ts';
import type { KnownStage } from './identity.ts';
import { lstatOptional } from './lstat-optional.ts';
import { stageIdOfRun, RunFile } from '../attempt/run-file.ts';
import { jsonIn } from '../stage.ts';

/** Stages that run directories were made from. */
interface Used {
  /** Or numbers, of runs of the version before. */
  ids: Set<string>;
  /** Of runs that are older still. */
  hashes: Set<string>;
}

/** Whether some run was made from a stage. Where a run names no id, one that is older than the stage was made from another. */
export async function isUsed(layout: Layout, { hash, id }: KnownStage): Promise<boolean> {
  const manifest = await lstatOptional(join(stageDirectory(layout, hash), 'manifest.json'));
  const { ids, hashes } = await usedStages(layout, manifest && { sinceNs: manifest.mtimeNs });
  return ids.has(id) || hashes.has(hash);
}

/** Of all installations: they share the stages. `sinceNs`: only those runs without an id that were made then or later. */
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
