import type { RunRef, Swept } from '../../compute.ts';
import { runDirectory, runName } from '../run-protocol/paths.ts';
import { HostRefusal } from './call.ts';
import type { SshContext } from './context.ts';

/** Ends every attempt of a run up to that fence and confirms it; a run under a higher fence is left alone. */
export async function kill(context: SshContext, run: RunRef, fence: number): Promise<void> {
  await context.link.ask({ verb: 'kill', words: [runName(run), fence] });
}

/** Removes a run directory; throws where something still lives in it. */
export async function remove(context: SshContext, run: RunRef): Promise<void> {
  try {
    await context.link.ask({ verb: 'remove', words: [runName(run)] });
  } catch (error) {
    if (!(error instanceof HostRefusal && error.code === 'living')) throw error;
    const directory = runDirectory((await context.link.facts()).layout, run);
    throw new Error(`remove: ${directory} still runs (${error.message}); kill it first`);
  }
}

/** Kills and removes what is old and not named; run directories are named by their folder in the result. */
export async function sweep(
  context: SshContext,
  { keep, olderThanSeconds, dryRun }: { keep: RunRef[]; olderThanSeconds: number; dryRun: boolean },
): Promise<Swept> {
  const words = [Math.ceil(olderThanSeconds), dryRun ? 1 : 0, ...keep.map(runName)];
  const result: Swept = { removed: [], killed: [], failed: [] };
  for (const { type, words: more, payload } of await context.link.ask({ verb: 'sweep', words })) {
    if (type === 'failed') result.failed.push({ name: more[0] ?? '', reason: payload.toString('utf8') });
    if (type !== 'swept') continue;
    result.removed.push(payload.toString('utf8'));
    if (more[0] !== '0') result.killed.push(payload.toString('utf8'));
  }
  return result;
}

/** How many run directories a sweep leaves alone, each for the first of these reasons. */
export interface Spared {
  underWay: number;
  /** Some trial needs it. */
  needed: number;
  young: number;
  /** Other installations have it. */
  ofOthers: number;
}

/** What {@link sweep} would leave alone. */
export async function spared(
  context: SshContext,
  { keep, olderThanSeconds }: { keep: RunRef[]; olderThanSeconds: number },
): Promise<Spared> {
  const words = [Math.ceil(olderThanSeconds), ...keep.map(runName)];
  const frames = await context.link.ask({ verb: 'spared', words });
  const counts = frames.find(({ type }) => type === 'spared')?.words.map(Number) ?? [];
  const [underWay = 0, needed = 0, young = 0, ofOthers = 0] = counts;
  return { underWay, needed, young, ofOthers };
}

/** A workspace that was removed to make room for others. */
export interface Trimmed {
  stageHash: string;
  kilobytes: number;
}

/** Removes workspaces, used longest ago first and needed by no run directory, until all fit into what the host keeps. */
export async function trim(context: SshContext, { dryRun }: { dryRun: boolean }): Promise<Trimmed[]> {
  const frames = await context.link.ask({ verb: 'trim', words: [dryRun ? 1 : 0, ...context.keep] });
  return frames
    .filter(({ type }) => type === 'trimmed')
    .map(({ words: [stageHash = '', kilobytes] }) => ({ stageHash, kilobytes: Number(kilobytes) }));
}
