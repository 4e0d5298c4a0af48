import type { Direction } from '../types.ts';
import { beats } from './beats.ts';
import type { Audited } from './counts.ts';
import { estimateErrors, type AuditEstimate } from './estimate-errors.ts';

/** Early abort's effect in a research, and its possible cost. */
export interface AbortTally {
  /** Runs that were stopped, and the slot seconds that they would still have taken. */
  stopped: number;
  savedSeconds: number;
  audit: AuditEstimate;
  /** Finished curves of earlier researches that the research began with; null: none. */
  carried: CarriedFacts | null;
}

/** Facts about the curves that a research began with. */
export interface CarriedFacts {
  curves: number;
  /** Earlier researches that the curves come from. */
  researches: number;
  /** The research's own baseline runs have tested the curves. */
  tested: boolean;
  /** Reason why the curves are not compared with; null while they are, and before the test. */
  dropped: string | null;
}

/** Ended runs of one task version that were judged alike. */
export interface JudgedRuns {
  runs: number;
  /** The rule wanted to stop the runs. */
  wanted: boolean;
  /** The runs went on although the rule wanted to stop them. */
  audited: boolean;
  /** Probability with which the would-be stop was audited; null for runs that the rule let live. */
  auditProbability: number | null;
  /** The runs ended by their own fault, without a value. */
  failed: boolean;
  /** There was an incumbent to judge the runs by. */
  measured: boolean;
  /** Sign of the runs' value minus that of this incumbent; null without a value or an incumbent. */
  side: number | null;
  /** Seconds that the stopped runs would still have taken, at their pace so far. */
  leftSeconds: number;
  /** Metric direction and error target of their task version. */
  direction: Direction;
  target: number;
}

/** Tallies judged runs; null if no run was judged and nothing was carried. */
export function tallyAborts(judged: readonly JudgedRuns[], carried: CarriedFacts | null = null): AbortTally | null {
  if (judged.length === 0 && carried === null) return null;
  const stopped = judged.filter(({ wanted, audited }) => wanted && !audited);
  // Stopped runs count as well: each is a would-be abort that was not drawn for an audit, so its end is unknown.
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

/**
 * True if the runs ended well, so beat the value to beat. Null if they were stopped before their end. Undefined if
 * their end says nothing: there was nothing to beat, or a machine or a person ended them.
 */
function endOf({ wanted, audited, failed, measured, side, direction }: JudgedRuns): boolean | null | undefined {
  if (!measured) return undefined;
  if (wanted && !audited) return null;
  if (side !== null) return beats(side, direction);
  return wanted && failed ? false : undefined;
}

/**
 * The error target over all task versions, which may differ in theirs: the mean, weighted by audited runs. If each
 * version errs at its own target, all versions together err at this one.
 */
function targetOf(counted: readonly (Audited & { runs: number; target: number })[]): number {
  const audits = counted.filter(({ good, probability }) => good !== null && probability !== null);
  const total = sum(audits, ({ runs }) => runs);
  return total === 0 ? (counted[0]?.target ?? 0) : sum(audits, ({ runs, target }) => runs * target) / total;
}

const sum = <T>(list: readonly T[], valueOf: (item: T) => number): number =>
  list.reduce((total, item) => total + valueOf(item), 0);
