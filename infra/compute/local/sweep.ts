import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRef, SweepResult } from '../../compute.ts';
import type { LocalContext } from './context.ts';
import { listNames } from '../../files.ts';
import { removeTree } from '../../remove-tree.ts';
import { SYSTEM_PATH } from '../../system-path.ts';
import { unusedDamagedStages } from './stage/damaged-stages.ts';
import { controlsOf, hasNoProcesses, killControl, livingControls } from './kill.ts';
import { type Attempt, runDirectory, runName } from '../run-protocol/paths.ts';
import { removeDanglingLinks, removeShortLink } from './attempt/short-link.ts';
import { attemptsOf, stateOf } from './attempt/state.ts';
import { killAll } from './kill/kill-all.ts';
import { markedOf } from './kill/members.ts';

/** Removes a run directory; throws if processes of the run live. */
export async function remove(context: LocalContext, run: RunRef): Promise<void> {
  const directory = runDirectory(context.layout, run);
  const attempts = await attemptsOf(directory);
  const living = await livingControls(attempts);
  if (living.length > 0) throw new Error(`remove: ${directory} still runs (${living.length}); kill it first`);
  await killSurvivors(await survivorControls(attempts));
  await removeWithLinks(directory, attempts);
}

/** Control directories of ended runs and conversations with living processes that their supervisor could not end. */
async function survivorControls(attempts: Attempt[]): Promise<string[]> {
  const controls: string[] = [];
  for (const attempt of attempts)
    for (const control of await controlsOf(attempt)) if (await hasSurvivors(control)) controls.push(control);
  return controls;
}

async function hasSurvivors(control: string): Promise<boolean> {
  const status = await stateOf(control);
  if (status.state !== 'ended' || status.end.treeGone || (await hasNoProcesses(control))) return false;
  return (await markedOf(control)).length > 0;
}

/** Kills the survivors: their mark is in the control directory, so nothing finds them after its removal. */
async function killSurvivors(controls: readonly string[]): Promise<void> {
  for (const control of controls) await killAll(() => markedOf(control), control);
}

/** Kills and removes old runs that `keep` does not name. The result has the names of their directories. */
export async function sweep(
  context: LocalContext,
  options: { keep: RunRef[]; olderThanSeconds: number; dryRun: boolean },
): Promise<SweepResult> {
  const keep = new Set(options.keep.map(runName));
  const result: SweepResult = { removed: [], killed: [], failed: [] };
  // Taken once, at the start, so that runs made during a long sweep stay.
  const before = Date.now() - options.olderThanSeconds * 1000;
  for (const name of await listNames(context.layout.runs)) {
    const directory = join(context.layout.runs, name);
    if (keep.has(name) || !(await isOlder(directory, before))) continue;
    const attempts = await attemptsOf(directory);
    const living = await livingControls(attempts);
    const survivors = await survivorControls(attempts);
    try {
      if (!options.dryRun) await end(directory, { attempts, living, survivors });
      if (living.length + survivors.length > 0) result.killed.push(name);
      result.removed.push(name);
    } catch (error) {
      // A failed removal must not stop the other ones.
      result.failed.push({ name, reason: String(error) });
    }
  }
  if (!options.dryRun) {
    await removeUnusedStages(context, before);
    await removeDanglingLinks(context.layout.runs);
    await dropGroups(await context.supervisor());
  }
  return result;
}

async function end(directory: string, { attempts, living, survivors }: EndedRun): Promise<void> {
  for (const control of living) await killControl(control);
  await killSurvivors(survivors);
  await removeWithLinks(directory, attempts);
}

/** Attempts of a run to remove, with the control directories of living processes. */
interface EndedRun {
  attempts: Attempt[];
  living: string[];
  survivors: string[];
}

/** Removes a run directory. The links to its temporary folders go first, since its files name them. */
async function removeWithLinks(directory: string, attempts: Attempt[]): Promise<void> {
  for (const attempt of attempts) for (const control of await controlsOf(attempt)) await removeShortLink(control);
  await removeTree(directory);
}

/** Removes old incomplete stages, and old damaged stages that no existing run was made from. */
async function removeUnusedStages(context: LocalContext, before: number): Promise<void> {
  const incomplete = (await listNames(context.layout.stages)).filter((name) => name.startsWith('.tmp-'));
  for (const name of [...incomplete, ...(await unusedDamagedStages(context.layout))]) {
    const directory = join(context.layout.stages, name);
    if (await isOlder(directory, before)) await removeTree(directory);
  }
}

/** Removes the control groups of killed supervisors whose processes have ended. */
export async function dropGroups(supervisor: string): Promise<void> {
  const child = spawn('/bin/sh', [supervisor, '--drop-groups'], {
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`sweep: expected ${supervisor} --drop-groups to succeed; its exit code is ${code}`);
}

async function isOlder(path: string, before: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs <= before;
  } catch (error) {
    // Another process removed it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
