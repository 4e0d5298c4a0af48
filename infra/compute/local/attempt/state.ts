import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRef, RunState } from '../../../compute.ts';
import { readEnd } from './read-end.ts';
import { pathExists, listNames } from '../../../files.ts';
import { readPlain } from '../../../read-plain.ts';
import { ageOf, isAlive, readOwner, type Owner } from './owner.ts';
import { attemptOf, runDirectory, type Attempt, type Layout } from '../../run-protocol/paths.ts';
import { runningState } from '../../run-protocol/ending/running-state.ts';

/** State of an attempt by its control directory. `claiming`: claimed, not started; it may still give the claim back. */
export type AttemptState =
  { state: 'staged' | 'claiming' | 'lost' } | { state: 'running'; owner: Owner } | (RunState & { state: 'ended' });

// Time in which the owner of a claim may be missing: the supervisor writes it microseconds after the claim.
const CLAIM_MS = 5000;

/** All attempts of a run, the highest fence first. */
export async function attemptsOf(runDir: string): Promise<Attempt[]> {
  const fences = (await listNames(runDir)).filter((name) => /^\d+$/.test(name)).map(Number);
  return fences.sort((a, b) => b - a).map((fence) => attemptOf(runDir, fence));
}

/** The state of one control directory (of a run, or of a conversation). */
export async function stateOf(control: string): Promise<AttemptState> {
  const end = await readEnd(control);
  if (end) return { state: 'ended', end };
  const claim = join(control, 'claim');
  if (!(await pathExists(claim))) return { state: 'staged' };
  const owner = await readOwner(join(claim, 'owner'));
  if (owner && (await isAlive(owner)))
    return (await pathExists(join(control, 'started.json'))) ? { state: 'running', owner } : { state: 'claiming' };
  // The run may have ended between the two checks.
  const late = await readEnd(control);
  if (late) return { state: 'ended', end: late };
  return { state: !owner && (await isYoung(claim)) ? 'claiming' : 'lost' };
}

async function isYoung(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs < CLAIM_MS;
  } catch (error) {
    // The supervisor gave the claim back meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/** The attempt that stands for the run: an ended one, else a running one, else the highest claimed or highest one. */
export async function currentAttempt(
  layout: Layout,
  run: RunRef,
): Promise<{ attempt: Attempt; status: AttemptState } | undefined> {
  const all = await Promise.all(
    (await attemptsOf(runDirectory(layout, run))).map(async (attempt) => ({
      attempt,
      status: await stateOf(attempt.ctl),
    })),
  );
  const [ended, running] = (['ended', 'running'] as const).map((state) =>
    all.find(({ status }) => status.state === state),
  );
  return ended ?? running ?? all.find(({ status }) => status.state !== 'staged') ?? all[0];
}

/**
 * MiB written, as the supervisor measured last; undefined: unknown. Any content is possible: without a sandbox, the
 * candidate can write this file.
 */
async function writtenMbOf(control: string): Promise<number | undefined> {
  const text = await readPlain(join(control, 'written'), 64).catch(() => undefined);
  const kb = text === undefined ? NaN : parseInt(text.toString('latin1'));
  return kb >= 0 ? kb / 1024 : undefined;
}

/** Seconds of waiting for a CPU, as the supervisor measured last; undefined: unknown. Any content is possible. */
async function waitSecondsOf(control: string): Promise<number | undefined> {
  const text = await readPlain(join(control, 'usage'), 256).catch(() => undefined);
  return text === undefined ? undefined : parseInt(text.toString('latin1').split(' ')[3] ?? '') / 100;
}

/** Reads the state of a run on this host. */
export async function inspect(layout: Layout, run: RunRef): Promise<RunState> {
  const found = await currentAttempt(layout, run);
  if (!found) return { state: 'absent' };
  const { status } = found;
  if (status.state === 'ended') return status;
  if (status.state === 'running') {
    const { ctl } = found.attempt;
    const [writtenMb, waitSeconds] = await Promise.all([writtenMbOf(ctl), waitSecondsOf(ctl)]);
    return runningState(await ageOf(status.owner), { writtenMb, waitSeconds });
  }
  return { state: status.state === 'claiming' ? 'running' : status.state };
}
