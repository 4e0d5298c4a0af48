import { baseline, claim, lead, raceWaitsFor, report, warnings, type Report } from '../../domain/gate/gate.ts';
import type { ResearchView } from './read-research.ts';

export interface Measured {
  candidateId: string;
  value: number;
  /** Of one run; null until two runs show it. */
  sd: number | null;
  n: number;
}

/** Where the search stands; no claim. */
export interface Lead extends Measured {
  ofTrial: number | null;
  /** Its value as the gate believes it, shrunken for selection. */
  estimate: number | null;
  /** What the race waits for that could confirm it; null where it is about to begin. */
  waitsFor: string | null;
}

export interface Standing {
  /** Null before its first run. */
  baseline: Measured | null;
  /** The incumbent; null before its first run. */
  claim: Measured | null;
  /** Null where the search stands at the incumbent. */
  lead: Lead | null;
  /** The gain corrected for selection, and the best single run. */
  report: Report;
  /** Claims that are on trial now, with the runs made for them so far. */
  races: { ofTrial: number | null; runs: number }[];
  /** What the noise looks like where the gate's promise does not hold for it. */
  warnings: string[];
}

/** What the gate of a research believes. */
export const standingOf = ({ gate, gateConfig }: Pick<ResearchView, 'gate' | 'gateConfig'>): Standing => ({
  baseline: measured(baseline(gate)),
  claim: measured(claim(gate)),
  lead: leadOf({ gate, gateConfig }),
  report: report(gateConfig, gate),
  races: gate.races.map(({ ofTrial, values, controls }) => ({ ofTrial, runs: values.length + controls.length })),
  warnings: warnings(gate),
});

function leadOf({ gate, gateConfig }: Pick<ResearchView, 'gate' | 'gateConfig'>): Lead | null {
  if (!gateConfig.followsLead || gate.leadId === gate.incumbentId) return null;
  const standing = lead(gate);
  const found = measured(standing);
  const waitsFor = raceWaitsFor(gateConfig, gate, gate.leadId);
  return found && { ...found, ofTrial: standing.ofTrial, estimate: standing.estimate, waitsFor };
}

function measured({ candidateId, mean, sd, n }: ReturnType<typeof claim>): Measured | null {
  return mean !== null && Number.isFinite(mean) ? { candidateId, value: mean, sd, n } : null;
}
