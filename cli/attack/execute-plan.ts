import type { Target } from '../../domain/attack/attack.ts';
import type { Planned } from '../../domain/attack/plan-attacks.ts';
import { reportAttacks, type AttackRow } from '../../domain/attack/report-attacks.ts';
import { checkId } from '../../domain/research/check-id.ts';
import { endingOf } from '../../domain/attack/judge-attack.ts';
import { configOf } from '../context.ts';
import { type Io, printNote } from '../io.ts';
import type { Located } from '../task/locate-task.ts';
import { findLeftovers } from './find-leftovers.ts';
import { type AttackInput, type Candidate, runAttacks } from './run-attacks.ts';
import { readUnattachedSegments } from './unattached-segments.ts';

export interface PlanResult {
  rows: AttackRow[];
  /** The research that they were tried in. */
  workflowId: string;
  /** Values of the unmodified workspace. */
  baseline: number[];
  slotSeconds: number;
  /** Leftovers of them on this machine, in words. */
  left: string[];
}

export const candidatesOf = (plan: readonly Planned[]): Candidate[] =>
  plan.flatMap((one) => (one.fits ? one.candidates.map((files) => ({ attack: one.attack.name, files })) : []));

/** Tries all attacks of a plan in a research of their own, and says what became of each. */
export async function executePlan(
  io: Io,
  { loaded, task }: Located,
  { plan, target }: { plan: readonly Planned[]; target: Target },
): Promise<PlanResult> {
  const workflowId = checkId(loaded.task.name, Date.now(), 'attack');
  const candidates = candidatesOf(plan);
  const onEnded = progressOf(io, { total: candidates.length });
  const before = await readUnattachedSegments();
  const all = await runAttacks(io, { task, researchId: workflowId, candidates, onEnded });
  const left = await findLeftovers(configOf(io).home, target.mark, before);
  const baseline = all.flatMap(({ kind, value }) => (kind === 'baseline' && value !== null ? [value] : []));
  const tried = all
    .filter(({ kind }) => kind === 'injected')
    .map((one) => ({ ...one, attack: one.hypothesis ?? '', logTail: one.logTail ?? '' }));
  return {
    rows: reportAttacks(plan, { metric: loaded.task.metric, baseline, tried }),
    ...{ workflowId, baseline, left },
    slotSeconds: all.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
  };
}

/** Says on stderr, with --json, too, how each candidate ended; once for each. */
function progressOf(io: Io, { total }: { total: number }): AttackInput['onEnded'] {
  const told = new Set<string>();
  let attacks = 0;
  return (tried) => {
    for (const one of tried) {
      if (told.has(one.trialId)) continue;
      told.add(one.trialId);
      if (one.kind === 'baseline') printNote(io, `the unmodified workspace: ${one.value ?? endingOf(one)}`);
      // A lost one may be run again.
      else if (one.status === 'lost')
        printNote(io, `${one.hypothesis}: ${endingOf(one)}; a lost trial says nothing of the attack`);
      else printNote(io, `${(attacks += 1)} of ${total}: ${one.hypothesis}: ${endingOf(one)}`);
    }
  };
}
