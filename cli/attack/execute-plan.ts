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
  /** Workflow id of the research that ran the attacks. */
  workflowId: string;
  /** Values of the unmodified workspace. */
  baseline: number[];
  slotSeconds: number;
  /** Leftovers of the attacks on this machine, in words. */
  left: string[];
}

export const candidatesOf = (plan: readonly Planned[]): Candidate[] =>
  plan.flatMap((planned) =>
    planned.fits ? planned.candidates.map((files) => ({ attack: planned.attack.name, files })) : [],
  );

/** Runs every attack of a plan as a trial of a new check research. Returns a row for each attack. */
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
    .map((trial) => ({ ...trial, attack: trial.hypothesis ?? '', logTail: trial.logTail ?? '' }));
  return {
    rows: reportAttacks(plan, { metric: loaded.task.metric, baseline, tried }),
    workflowId,
    baseline,
    left,
    slotSeconds: all.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
  };
}

/** Prints to stderr how each candidate ended, once for each trial, also with --json. */
function progressOf(io: Io, { total }: { total: number }): AttackInput['onEnded'] {
  const printed = new Set<string>();
  let attacks = 0;
  return (tried) => {
    for (const trial of tried) {
      if (printed.has(trial.trialId)) continue;
      printed.add(trial.trialId);
      if (trial.kind === 'baseline') printNote(io, `the unmodified workspace: ${trial.value ?? endingOf(trial)}`);
      // A lost trial is not counted: its attack may run again.
      else if (trial.status === 'lost')
        printNote(io, `${trial.hypothesis}: ${endingOf(trial)}; a lost trial says nothing about the attack`);
      else printNote(io, `${(attacks += 1)} of ${total}: ${trial.hypothesis}: ${endingOf(trial)}`);
    }
  };
}
