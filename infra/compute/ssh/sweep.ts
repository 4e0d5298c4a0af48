import type { RunRef, SweepResult } from '../../compute.ts';
import { runDirectory, runName } from '../run-protocol/paths.ts';
import { HostRefusal } from './channel/call.ts';
import type { SshContext } from './context.ts';
import type { Frame } from './channel/frames.ts';

/** Kills every attempt of a run up to a fence, and confirms that they are gone. Attempts with a higher fence go on. */
export async function kill(context: SshContext, run: RunRef, fence: number): Promise<void> {
  await context.link.call({ verb: 'kill', words: [runName(run), fence] });
}

/** Removes a run directory; throws if a process of the run still lives. */
export async function remove(context: SshContext, run: RunRef): Promise<void> {
  try {
    await context.link.call({ verb: 'remove', words: [runName(run)] });
  } catch (error) {
    if (!(error instanceof HostRefusal && error.code === 'living')) throw error;
    const directory = runDirectory((await context.link.facts()).layout, run);
    throw new Error(`remove: ${directory} still runs (${error.message}); kill it first`);
  }
}

/** Selection of the run directories that a sweep removes; with `dryRun` it removes none. */
export interface Sweep {
  /** Runs whose directories stay. */
  keep: RunRef[];
  olderThanSeconds: number;
  dryRun: boolean;
}

/** Kills and removes runs that are old and not in `keep`. Returns the names of their directories. */
export async function sweep(context: SshContext, { keep, olderThanSeconds, dryRun }: Sweep): Promise<SweepResult> {
  const words = [Math.ceil(olderThanSeconds), dryRun ? 1 : 0];
  return sweptOf(await context.link.call({ verb: 'sweep', words, input: () => namesOf(keep) }));
}

/** Result of a cleaning. */
export interface Cleaned extends SweepResult {
  /** Workspaces that were removed to make room for others. */
  workspaces: { stageHash: string; kilobytes: number }[];
  /** Workspaces that were removed since they were damaged, or incomplete. */
  damaged: { name: string; kilobytes: number }[];
}

/**
 * Sweeps. Then removes workspaces that no run directory needs, the least recently used first, until the rest fits into
 * the host's cache.
 */
export async function clean(context: SshContext, { keep, olderThanSeconds, dryRun }: Sweep): Promise<Cleaned> {
  const words = [Math.ceil(olderThanSeconds), dryRun ? 1 : 0, ...context.keepLimits];
  const frames = await context.link.call({ verb: 'clean', words, input: () => namesOf(keep) });
  const sizesOf = (frameType: string): [name: string, kilobytes: number][] =>
    frames.filter(({ type }) => type === frameType).map(({ words: [name = '', size] }) => [name, Number(size)]);
  return {
    ...sweptOf(frames),
    workspaces: sizesOf('trimmed').map(([stageHash, kilobytes]) => ({ stageHash, kilobytes })),
    damaged: sizesOf('dropped').map(([name, kilobytes]) => ({ name, kilobytes })),
  };
}

/** Last line of a list of names; without it the list was cut. */
const END_OF_LIST = 'whole';

/** Names of run directories, in the form that the script reads. */
const namesOf = (runs: RunRef[]): Buffer[] => [
  Buffer.from([...runs.map(runName), END_OF_LIST].map((name) => `${name}\n`).join('')),
];

function sweptOf(frames: Frame[]): SweepResult {
  const result: SweepResult = { removed: [], killed: [], failed: [] };
  for (const { type, words, payload } of frames) {
    const text = payload.toString('utf8');
    if (type === 'failed') result.failed.push({ name: words[0] ?? '', reason: text });
    if (type !== 'swept') continue;
    result.removed.push(text);
    if (words[0] !== '0') result.killed.push(text);
  }
  return result;
}

/** Numbers of run directories that a sweep keeps. A directory with several reasons counts only for the first. */
export interface Spared {
  underWay: number;
  /** Directories that a trial needs. */
  needed: number;
  young: number;
  /** Directories of other installations. */
  ofOthers: number;
}

/** Counts the run directories that {@link sweep} would keep. */
export async function countSpared(
  context: SshContext,
  { keep, olderThanSeconds }: Pick<Sweep, 'keep' | 'olderThanSeconds'>,
): Promise<Spared> {
  const words = [Math.ceil(olderThanSeconds)];
  const frames = await context.link.call({ verb: 'spared', words, input: () => namesOf(keep) });
  const counts = frames.find(({ type }) => type === 'spared')?.words.map(Number) ?? [];
  const [underWay = 0, needed = 0, young = 0, ofOthers = 0] = counts;
  return { underWay, needed, young, ofOthers };
}
