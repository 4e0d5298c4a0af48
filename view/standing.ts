import {
  baseline,
  claim,
  lead,
  raceObstacle,
  reportGain,
  noiseWarnings,
  type RaceObstacle,
  type GainReport,
} from '../domain/gate/gate.ts';
import type { GateConfig, GateState } from '../domain/gate/types.ts';
import { plural } from '../domain/text/plural.ts';
import type { BudgetUse } from './budget.ts';

export interface MeasuredCandidate {
  candidateId: string;
  value: number;
  /** Of one run; null until two runs show it. */
  sd: number | null;
  n: number;
}

/** Where the search stands; no claim. */
export interface Lead extends MeasuredCandidate {
  ofTrial: number | null;
  /** Its value as the gate believes it, shrunken for selection. */
  estimate: number | null;
  /** The obstacle of the race that could confirm it; null where that is about to begin. */
  waitsFor: RaceObstacle | null;
}

/** A claim on trial, with the runs made for it so far; the unmodified version has no trial. */
export interface Race {
  ofTrial: number | null;
  runs: number;
}

/** A research's gate and its settings. */
interface Gated {
  gate: GateState;
  gateConfig: GateConfig;
}

export interface Standing {
  /** Null before its first run. */
  baseline: MeasuredCandidate | null;
  /** The incumbent; null before its first run. */
  claim: MeasuredCandidate | null;
  /** Null where the search stands at the incumbent. */
  lead: Lead | null;
  /** The gain of the claim, and the best run of a proposal. */
  report: GainReport;
  /** Claims that are on trial now. */
  races: Race[];
  /** Warnings of noise for which the gate's promise does not hold. */
  warnings: string[];
}

/** Estimates, reportGain and races of a research's gate. */
export const standingOf = ({ gate, gateConfig }: Gated): Standing => ({
  baseline: measured(baseline(gate)),
  claim: measured(claim(gate)),
  lead: leadOf({ gate, gateConfig }),
  report: reportGain(gateConfig, gate),
  races: gate.races.map(({ ofTrial, values, controls }) => ({ ofTrial, runs: values.length + controls.length })),
  warnings: noiseWarnings(gate),
});

function leadOf({ gate, gateConfig }: Gated): Lead | null {
  if (!gateConfig.followsLead || gate.leadId === gate.incumbentId) return null;
  const standing = lead(gate);
  const found = measured(standing);
  const waitsFor = raceObstacle(gateConfig, gate, gate.leadId);
  return found && { ...found, ofTrial: standing.ofTrial, estimate: standing.estimate, waitsFor };
}

function measured({ candidateId, mean, sd, n }: ReturnType<typeof claim>): MeasuredCandidate | null {
  return mean !== null && Number.isFinite(mean) ? { candidateId, value: mean, sd, n } : null;
}

/** Limits that, once they are reached, let no run begin, not even one of a race. */
const FINAL = ['hours', 'slotSeconds', 'tokens', 'usd'] as const;

type Limits = Pick<BudgetUse, 'trials' | 'proposals' | (typeof FINAL)[number]>;

/**
 * What the race of a lead waits for, in words; null where it is about to begin. If the search ends before the budget of races
 * has saved up enough, that end is what it waits for: then the lead is raced all the same.
 */
export function describeRaceWait(wait: RaceObstacle | null, limits: Limits): string | null {
  if (wait === null || wait.runs === null) return wait?.words ?? null;
  const left = Math.min(leftOf(limits.trials), leftOf(limits.proposals));
  const final = FINAL.filter((key) => limits[key].limit !== null).map((key) => `budget.${key}`);
  const unless =
    final.length === 0 ? '' : `; if ${final.join(' or ')} is spent first, it is not raced until you raise that`;
  if (wait.runs <= left) return wait.words + unless;
  const end = left > 0 ? `the end of the search, after ${plural(left, 'more trial')} at most` : 'what is under way';
  return `${end}: it is raced then, whatever earlier races took${unless}`;
}

const leftOf = ({ spent, limit }: Limits['trials']): number => (limit === null ? Infinity : Math.max(0, limit - spent));
