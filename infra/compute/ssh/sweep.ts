import type { RunRef, SweepResult } from '../../compute.ts';
import { runDirectory, runName } from '../run-protocol/paths.ts';
import { HostRefusal } from './channel/call.ts';
import type { SshContext } from './context.ts';
import type { Frame } from './channel/frames.ts';

/** Ends every attempt of a run up to that fence and confirms it; a run under a higher fence is left alone. */
export async function kill(context: SshContext, run: RunRef, fence: number): Promise<void> {
  await context.link.call({ verb: 'kill', words: [runName(run), fence] });
}

/** Removes a run directory; throws where something still lives in it. */
export async function remove(context: SshContext, run: RunRef): Promise<void> {
  try {
    await context.link.call({ verb: 'remove', words: [runName(run)] });
  } catch (error) {
    if (!(error instanceof HostRefusal && error.code === 'living')) throw error;
    const directory = runDirectory((await context.link.facts()).layout, run);
    throw new Error(`remove: ${directory} still runs (${error.message}); kill it first`);
  }
}

/** Which run directories are removed; with `dryRun` nothing is. */
export interface Sweep {
  /** These stay. */
  keep: RunRef[];
  olderThanSeconds: number;
  dryRun: boolean;
}

/** Kills and removes what is old and not named; run directories are named by their folder in the result. */
export async function sweep(context: SshContext, { keep, olderThanSeconds, dryRun }: Sweep): Promise<SweepResult> {
  const words = [Math.ceil(olderThanSeconds), dryRun ? 1 : 0];
  return sweptOf(await context.link.call({ verb: 'sweep', words, input: () => namesOf(keep) }));
}

/** What made room on a host. */
export interface Cleaned extends SweepResult {
  /** Workspaces that were removed to make room for others. */
  workspaces: { stageHash: string; kilobytes: number }[];
  /** Workspaces that had been set aside as damaged, or came in part. */
  damaged: { name: string; kilobytes: number }[];
}

/**
 * The same, and then removes workspaces, used longest ago and needed by no run directory, until all fit into what the host
 * keeps.
 */
export async function clean(context: SshContext, { keep, olderThanSeconds, dryRun }: Sweep): Promise<Cleaned> {
  const words = [Math.ceil(olderThanSeconds), dryRun ? 1 : 0, ...context.keep];
  const frames = await context.link.call({ verb: 'clean', words, input: () => namesOf(keep) });
  const sized = (wanted: string): [name: string, kilobytes: number][] =>
    frames.filter(({ type }) => type === wanted).map(({ words: [name = '', size] }) => [name, Number(size)]);
  return {
    ...sweptOf(frames),
    workspaces: sized('trimmed').map(([stageHash, kilobytes]) => ({ stageHash, kilobytes })),
    damaged: sized('dropped').map(([name, kilobytes]) => ({ name, kilobytes })),
  };
}

/** As the script reads them. */
const namesOf = (runs: RunRef[]): Buffer[] => [
  Buffer.from([...runs.map(runName), 'whole'].map((name) => `${name}\n`).join('')),
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
