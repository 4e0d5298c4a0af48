import { DEFAULT_AUDIT, type AuditPlan } from '../../domain/abort/audit/lot.ts';
import { bootstrapLimits, upperBound, type CurveCount } from '../../domain/abort/replay/bound.ts';
import { replay } from '../../domain/abort/replay/replay.ts';
import { INCUMBENTS, type IncumbentKind, type ReplayCurve } from '../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { printTable, type Cell } from '../support/table.ts';
import { family, FAMILIES } from './families.ts';
import { yardstick, type Yardstick } from './yardstick.ts';

/** Runs of a research. */
const RUNS = 300;

export const AUDITS: readonly { name: string; plan: AuditPlan }[] = [
  { name: 'first 30, 5 %', plan: DEFAULT_AUDIT },
  { name: '5 %', plan: { first: 0, share: 0.05 } },
];

export const YARDSTICKS: readonly { name: string; audit: string; rule: Yardstick }[] = [
  { name: 'perfect foresight', audit: 'none', rule: { kind: 'foresight' } },
  ...AUDITS.map(({ name, plan }) => ({
    name: 'perfect foresight',
    audit: name,
    rule: { kind: 'foresight', audit: plan } as const,
  })),
  { name: 'best monotone, in hindsight', audit: 'none', rule: { kind: 'monotone' } },
  ...[1.64, 2.33, 3, 3.5, 4, 4.5].map((z) => ({
    name: `yardstick z = ${z}`,
    audit: '5 %',
    rule: { kind: 'regression', z } as const,
  })),
];

/** One research under one rule. */
interface Research {
  wouldBeIncumbents: number;
  falseAborts: number;
  gain: number;
}

const HEAD = ['family', 'incumbent', 'rule', 'audit', 'cases', 'false', 'low', 'high', 'bound', 'gain', '±'];

/**
 * New curves for each of so many researches, one order each: the default rule beside the yardstick and the bounds, for all
 * families. Runs of one research share what the rule has learned, so bounds are over researches.
 */
export function afresh(researches: number): void {
  for (const name of FAMILIES) {
    const all = Array.from({ length: researches }, (_, i) => family(name, RUNS, i + 1));
    const rows = INCUMBENTS.flatMap((incumbent) => [...plain(all, incumbent), ...ours(all, incumbent)]);
    printTable(
      `${name}: ${researches} researches of ${RUNS} new runs, one order each`,
      HEAD,
      rows.map((row) => [name, ...row]),
    );
  }
}

const plain = (all: readonly ReplayCurve[][], incumbent: IncumbentKind): Cell[][] =>
  YARDSTICKS.map(({ name, audit, rule }) => {
    const each = all.map((curves) => yardstick(curves, rule, { repeats: 1, seed: 1, incumbent }));
    return [incumbent, name, audit, ...summary(each)];
  });

const ours = (all: readonly ReplayCurve[][], incumbent: IncumbentKind): Cell[][] =>
  AUDITS.map(({ name, plan }) => {
    const rule = { ...DEFAULT_ABORT, rule: 'matched-time', direction: 'minimize', audit: plan } as const;
    const each = all.map((curves, i) => replay(curves, { ...rule, incumbent, slots: 1, repeats: 1, seed: i + 1 }));
    return [incumbent, 'matched-time', name, ...summary(each)];
  });

/**
 * Cases; false share with its 95 % limits by a bootstrap over researches, and its bound, which is at least the exact one
 * that counts each research once; mean gain with its standard error.
 */
export function summary(each: readonly Research[]): Cell[] {
  const counts = each.map(({ wouldBeIncumbents, falseAborts }, i): CurveCount => ({
    group: String(i),
    cases: wouldBeIncumbents,
    hits: Math.round(falseAborts * wouldBeIncumbents),
  }));
  const [cases, hits] = [sum(counts.map((one) => one.cases)), sum(counts.map((one) => one.hits))];
  const limits = bootstrapLimits(counts, 1);
  const gain = sum(each.map((one) => one.gain)) / each.length;
  const spread = Math.sqrt(sum(each.map((one) => (one.gain - gain) ** 2)) / Math.max(1, each.length - 1));
  return [
    cases,
    (hits / Math.max(1, cases)).toFixed(4),
    limits.low.toFixed(4),
    limits.high.toFixed(4),
    upperBound(counts, 1).toFixed(4),
    gain.toFixed(2),
    (spread / Math.sqrt(each.length)).toFixed(2),
  ];
}

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
