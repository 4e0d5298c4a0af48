import type { Direction } from '../types.ts';
import { beats } from './beats.ts';
import type { Audited } from './counts.ts';
import { estimateErrors, type AuditEstimate } from './estimate-errors.ts';

/** What early abort has done in a research, and what it may have cost. */
export interface AbortTally {
  /** Runs that were stopped, and the seconds of slots that they would still have taken. */
  stopped: number;
  savedSeconds: number;
  audit: AuditEstimate;
  /** Finished curves of earlier researches that it began with; null: none. */
  carried: CarriedFacts | null;
}

/** What came of the curves that a research began with. */
export interface CarriedFacts {
  curves: number;
  /** Earlier researches that they are of. */
  researches: number;
  /** The research's own baseline runs have tested them. */
  tested: boolean;
  /** Why they are not compared with; null while they are, and before the test. */
  dropped: string | null;
}

/** Ended runs of one task version that were judged alike. */
export interface JudgedRuns {
  runs: number;
  /** The rule wanted to stop them, and whether they went on all the same. */
  wanted: boolean;
  audited: boolean;
  /** Probability with which their would-be stop was audited; null where the rule let them live. */
  auditProbability: number | null;
  /** They came to their end by their own fault, without a value. */
  failed: boolean;
  /** There was an incumbent to judge them by. */
  measured: boolean;
  /** Sign of their value less that of this incumbent; null where there was no value or no incumbent. */
  side: number | null;
  /** Seconds that those stopped still had before them, at the pace that they had had. */
  leftSeconds: number;
  /** Of their task version. */
  direction: Direction;
  target: number;
}

/** Null where no run was judged and nothing was carried. A run that went to its end was good if it beat what it was judged by. */
export function tallyAborts(judged: readonly JudgedRuns[], carried: CarriedFacts | null = null): AbortTally | null {
  if (judged.length === 0 && carried === null) return null;
  const stopped = judged.filter(({ wanted, audited }) => wanted && !audited);
  // Stopped ones count as well: each is a would-be abort of which the lot said that nobody learns how it ends.
  const counted = judged.flatMap((alike) => {
    const { runs, auditProbability, target } = alike;
    const good = endOf(alike);
    return good === undefined ? [] : [{ runs, good, probability: auditProbability, target }];
  });
  return {
    stopped: sum(stopped, ({ runs }) => runs),
    savedSeconds: sum(stopped, ({ leftSeconds }) => leftSeconds),
    audit: estimateErrors(counted, targetOf(counted)),
    carried,
  };
}

/** Whether they ended well; null where that was not awaited, undefined where nobody can say (nothing to beat, a machine, a person). */
function endOf({ wanted, audited, failed, measured, side, direction }: JudgedRuns): boolean | null | undefined {
  if (!measured) return undefined;
  if (wanted && !audited) return null;
  if (side !== null) return beats(side, direction);
  return wanted && failed ? false : undefined;
}

/** Versions may differ in their target: together they err as they may if each does, so each counts as often as it was audited. */
function targetOf(counted: readonly (Audited & { runs: number; target: number })[]): number {
  const audits = counted.filter(({ good, probability }) => good !== null && probability !== null);
  const runs = sum(audits, (one) => one.runs);
  return runs === 0 ? (counted[0]?.target ?? 0) : sum(audits, (one) => one.runs * one.target) / runs;
}

const sum = <T>(list: readonly T[], of: (item: T) => number): number => list.reduce((all, item) => all + of(item), 0);
