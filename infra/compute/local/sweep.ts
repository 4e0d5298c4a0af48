import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRef, SweepResult } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { listNames } from '../../files.ts';
import { removeTree } from '../../remove-tree.ts';
import { unusedDamagedStages } from './stage/damaged-stages.ts';
import { controlsOf, hasNoProcesses, killControl, livingControls } from './kill.ts';
import { type Attempt, runDirectory, runName } from '../run-protocol/paths.ts';
import { attemptsOf, stateOf } from './attempt/state.ts';
import { killAll } from './kill/kill-all.ts';
import { markedOf } from './kill/members.ts';

/** Removes a run directory; throws where something still lives in it. */
export async function remove(context: LocalContext, run: RunRef): Promise<void> {
  const directory = runDirectory(context.layout, run);
  const attempts = await attemptsOf(directory);
  const living = await livingControls(attempts);
  if (living.length > 0) throw new Error(`remove: ${directory} still runs (${living.length}); kill it first`);
  await killOutlived(await outlivedControls(attempts));
  await removeTree(directory);
}

/** The control directories of ended runs and conversations of which, in this boot, something lives that their supervisor could not end. */
async function outlivedControls(attempts: Attempt[]): Promise<string[]> {
  const outlived: string[] = [];
  for (const attempt of attempts)
    for (const control of await controlsOf(attempt)) if (await isOutlived(control)) outlived.push(control);
  return outlived;
}

async function isOutlived(control: string): Promise<boolean> {
  const status = await stateOf(control);
  if (status.state !== 'ended' || status.end.treeGone || (await hasNoProcesses(control))) return false;
  return (await markedOf(control)).length > 0;
}

/** Ends that: without its folder nobody would know its mark. */
async function killOutlived(controls: readonly string[]): Promise<void> {
  for (const control of controls) await killAll(() => markedOf(control), control);
}

/** Kills and removes what is old and not named; run directories are named by their folder in the result. */
export async function sweep(
  context: LocalContext,
  options: { keep: RunRef[]; olderThanSeconds: number; dryRun: boolean },
): Promise<SweepResult> {
  const keep = new Set(options.keep.map(runName));
  const result: SweepResult = { removed: [], killed: [], failed: [] };
  // Of the beginning: what is made while the others are removed is young.
  const before = Date.now() - options.olderThanSeconds * 1000;
  for (const name of await listNames(context.layout.runs)) {
    const directory = join(context.layout.runs, name);
    if (keep.has(name) || !(await isOlder(directory, before))) continue;
    const attempts = await attemptsOf(directory);
    const [living, outlived] = [await livingControls(attempts), await outlivedControls(attempts)];
    try {
      if (!options.dryRun) await end(directory, { living, outlived });
      if (living.length + outlived.length > 0) result.killed.push(name);
      result.removed.push(name);
    } catch (error) {
      // One that cannot be removed must not keep the others.
      result.failed.push({ name, reason: String(error) });
    }
  }
  if (!options.dryRun) await removeHalfStages(context, before);
  return result;
}

async function end(directory: string, { living, outlived }: Record<'living' | 'outlived', string[]>): Promise<void> {
  for (const control of living) await killControl(control);
  await killOutlived(outlived);
  await removeTree(directory);
}

/** Halves of stages, and damaged ones that nothing was made from which is still here. */
async function removeHalfStages(context: LocalContext, before: number): Promise<void> {
  const halves = (await listNames(context.layout.stages)).filter((name) => name.startsWith('.tmp-'));
  for (const name of [...halves, ...(await unusedDamagedStages(context.layout))]) {
    const directory = join(context.layout.stages, name);
    if (await isOlder(directory, before)) await removeTree(directory);
  }
}

async function isOlder(path: string, before: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs <= before;
  } catch (error) {
    // Removed meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
