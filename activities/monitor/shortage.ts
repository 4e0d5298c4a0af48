import type { Run } from '../../db/run/run.ts';
import type { FailedRun } from '../../domain/fleet/gpus.ts';
import { isInUse } from '../../domain/fleet/lendable.ts';
import { isApart } from '../../domain/fault/is-apart.ts';
import type { RunEnd } from '../../infra/compute.ts';
import type { StoredEnd } from '../run/collect.ts';
import type { Part, Statements } from '../deps.ts';
import { diskFull } from '../host/disk-full.ts';
import type { Watch } from './follow-run.ts';

/** A machine that shuts down ends programs as they would end themselves, and its disk may have lost what they wrote last. */
export const REBOOTED = 'its machine was booted since the run began';

/**
 * Where neither a sandbox nor a user of its own held that program, it may have done it itself, as it may have cut itself off
 * again and again. Nobody can tell: as with a run whose supervisor left no end, its run is lost. So is, later, one that was held
 * apart: a host that is never there for a whole conversation is no good for it.
 */
export const TALK_KILLED = 'somebody killed the program that answers its evaluator, its supervisor or its connection';

const DAMAGED = 'its workspace on the machine was damaged by something else, and is staged anew: ';

const ASIDE = 'it was taken out of its place while the run went on';

/** Whether a host goes on serving after that. */
export const servesOn = (shortage: string): boolean =>
  shortage === REBOOTED || shortage === TALK_KILLED || isDamage(shortage) || isInUse(shortage);
/** Whether that is something which a person should look into: what has done it may do it again. */
export const isDamage = (shortage: string): boolean => shortage.startsWith(DAMAGED);

type Ended = Pick<Watch, 'key'> & {
  run: Pick<Run, 'host' | 'fence'>;
  deps: Part<'hosts', 'isOwnHost' | 'shortageOf'> &
    Part<'machine', 'freeDisk'> &
    Statements<'run', 'findRun'> &
    Statements<'slot', 'findLease'>;
};

/**
 * What the host of a run lacks by now, room or a GPU for the run alone, or that it was shut down, where the run failed of it,
 * or that it had damaged what the run was made from; null where neither is so.
 */
export async function shortageAfter(of: Ended, end: StoredEnd): Promise<string | null> {
  // Even one that went well is no measurement then.
  if (end.damaged !== undefined && !(await wasWeeded(of))) return `${DAMAGED}${end.damaged}`;
  if (!(await mayBeTheMachines(of, end))) return null;
  // A sandbox keeps what it shows; without one the folders were gone.
  if (end.aside && !end.sandboxed) return `${DAMAGED}${ASIDE}`;
  if (end.rebooted) return REBOOTED;
  return lackOf(of, timesOf(end));
}

/**
 * The same where an evaluator had no good of what answered it, on the slot of a run that ended well. `talk`: the end of that
 * program, if it came to one. What the run itself may have left on its GPU is not somebody else's.
 */
export async function shortageAfterTalk(
  of: Ended,
  { end, talk }: { end: StoredEnd; talk: RunEnd | undefined },
): Promise<string | null> {
  if (talk?.rebooted) return REBOOTED;
  const run = timesOf(end);
  if (!talk) return (await lackOf(of, { ...run, ended: null, contained: false })) ?? TALK_KILLED;
  const asked = timesOf(talk);
  // Where the host was booted in between, nothing of the run was left.
  const began = run.began === null || asked.began === null ? null : Math.min(run.began, asked.began);
  const lack = await lackOf(of, { ...asked, began, contained: run.contained && asked.contained });
  const byNobodyKnown = talk.reason === 'killed' && talk.endedBy === undefined;
  return lack ?? (byNobodyKnown ? TALK_KILLED : null);
}

async function lackOf({ deps, key, run }: Ended, failed: Omit<FailedRun, 'gpu'>): Promise<string | null> {
  if (deps.hosts.isOwnHost(run.host)) return diskFull(deps.machine.freeDisk);
  const lease = await deps.store.slot.findLease(key.trialId);
  return deps.hosts.shortageOf(run.host, { gpu: lease?.fence === run.fence ? lease.gpu : null, ...failed });
}

function timesOf(end: RunEnd): Omit<FailedRun, 'gpu'> {
  const { upSeconds, wallSeconds, treeGone } = end;
  return {
    began: upSeconds ?? null,
    ended: upSeconds === undefined ? null : upSeconds + wallSeconds,
    // Without a sandbox it may have had something started from outside its namespace.
    contained: treeGone && isApart(end),
    asUs: !isApart(end),
  };
}

/** Whether a host of the fleet has no room left. */
export const lacksRoom = async ({ deps, run }: Pick<Ended, 'deps' | 'run'>): Promise<boolean> =>
  !deps.hosts.isOwnHost(run.host) && (await deps.hosts.shortageOf(run.host, null)) !== null;

/** Whether it was stopped for what is no failure of it. */
async function wasWeeded({ deps, key }: Ended): Promise<boolean> {
  const label = (await deps.store.run.findRun(key))?.stop?.label;
  return label === 'cannot-win' || label === 'stopped-by-operator';
}

/** Whether an end counts against the candidate and is one that a machine which gives way can make, too. */
async function mayBeTheMachines({ deps, key }: Ended, end: StoredEnd): Promise<boolean> {
  if (end.reason === 'exit') return end.exitCode !== 0 || end.missing.length > 0;
  if (end.reason === 'wall') return true;
  const stop = end.reason === 'killed' ? (await deps.store.run.findRun(key))?.stop?.label : undefined;
  return stop === 'stalled' || stop === 'too-slow';
}
