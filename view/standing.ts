import {
  baseline,
  claim,
  claimBasis,
  lead,
  raceObstacle,
  reportGain,
  noiseWarnings,
  type ClaimBasis,
  type RaceObstacle,
  type GainReport,
  type Standing as CandidateStanding,
} from '../domain/gate/gate.ts';
import type { GateConfig, GateState } from '../domain/gate/types.ts';
import { plural } from '../domain/text/plural.ts';
import type { BudgetUse } from './budget.ts';

interface Runs {
  candidateId: string;
  value: number;
  /** Standard deviation of one run; null until it can be measured. */
  sd: number | null;
  n: number;
}

/** A candidate with the 95 % interval of its value; the bounds are null if the noise is unknown or no run varied. */
export interface MeasuredCandidate extends Runs {
  low: number | null;
  high: number | null;
}

/** The lead of the search, which no claim has confirmed. */
export interface Lead extends Runs {
  ofTrial: number | null;
  /** The gate's estimate of its value, shrunken for selection. */
  estimate: number | null;
  /** Obstacle of the race that could confirm it; null if the race is about to begin. */
  waitsFor: RaceObstacle | null;
}

/** A race for a claim, with its number of runs so far. `ofTrial` is null for the unmodified version. */
export interface Race {
  ofTrial: number | null;
  runs: number;
}

/** The state of a research's gate, and its settings. */
interface Gated {
  gate: GateState;
  gateConfig: GateConfig;
}

export interface Standing {
  /** The unmodified version; null before its first run. */
  baseline: MeasuredCandidate | null;
  /** The incumbent; null before its first run. */
  claim: MeasuredCandidate | null;
  /** Basis of the claim. */
  basis: ClaimBasis;
  /** Null if the lead is the incumbent. */
  lead: Lead | null;
  /** Gain of the claim, and the best run of a proposal. */
  report: GainReport;
  /** Races that are under way. */
  races: Race[];
  /** Warnings about noise for which the gate cannot guarantee its error rate. */
  warnings: string[];
}

/** The standing of a search, from its gate: estimates, gain, races and warnings. */
export const standingOf = ({ gate, gateConfig }: Gated): Standing => ({
  baseline: measuredOf(baseline(gate)),
  claim: measuredOf(claim(gate)),
  basis: claimBasis(gateConfig, gate),
  lead: leadOf({ gate, gateConfig }),
  report: reportGain(gateConfig, gate),
  races: gate.races.map(({ ofTrial, values, controls }) => ({ ofTrial, runs: values.length + controls.length })),
  warnings: noiseWarnings(gateConfig, gate),
});

function leadOf({ gate, gateConfig }: Gated): Lead | null {
  if (!gateConfig.followsLead || gate.leadId === gate.incumbentId) return null;
  const standing = lead(gate);
  const found = runsOf(standing);
  const waitsFor = raceObstacle(gateConfig, gate, gate.leadId);
  return found && { ...found, ofTrial: standing.ofTrial, estimate: standing.estimate, waitsFor };
}

function runsOf({ candidateId, mean, sd, n }: CandidateStanding): Runs | null {
  return mean !== null && Number.isFinite(mean) ? { candidateId, value: mean, sd, n } : null;
}

function measuredOf(standing: ReturnType<typeof claim>): MeasuredCandidate | null {
  const runs = runsOf(standing);
  return runs && { ...runs, low: standing.low, high: standing.high };
}

/** Limits that, once reached, stop every new run, even those of a race. */
const FINAL = ['hours', 'slotSeconds', 'tokens', 'usd'] as const;

type Limits = Pick<BudgetUse, 'trials' | 'proposals' | (typeof FINAL)[number]>;

/**
 * Describes the obstacle of a lead's race as a clause; null if the race is about to begin. If the search ends before
 * the budget of races has saved enough, the race waits for that end: the lead is then raced in any case.
 */
export function describeRaceWait(wait: RaceObstacle | null, limits: Limits): string | null {
  if (wait === null || wait.runs === null) return wait?.words ?? null;
  const trialsLeft = Math.min(leftOf(limits.trials), leftOf(limits.proposals));
  const final = FINAL.filter((key) => limits[key].limit !== null).map((key) => `budget.${key}`);
  const unless =
    final.length === 0 ? '' : `; if ${final.join(' or ')} is spent first, the race starts only after you raise it`;
  if (wait.runs <= trialsLeft) return wait.words + unless;
  const end =
    trialsLeft > 0
      ? `the search ends, after at most ${plural(trialsLeft, 'more trial')}`
      : 'the trials under way have ended';
  return `its race starts when ${end}, even if the budget of races is too small${unless}`;
}

const leftOf = ({ spent, limit }: Limits['trials']): number => (limit === null ? Infinity : Math.max(0, limit - spent));
