import { ABORT_RULES } from '../../../domain/abort/table.ts';
import { boundFalseAborts } from '../../../domain/abort/replay/bound-false-aborts.ts';
import type { Cell } from '../../support/table.ts';
import { gainAt, type Setting } from './gain-at.ts';
import { FORESIGHT, MONOTONE, YARDSTICK } from './compared-rules.ts';
import { gainRatioRange, type TimedCount } from './gain-ratio-range.ts';

/** A row of a table of rules: share of would-be incumbents that were lost, and gain. */
export interface RuleResult extends Setting {
  incumbent: string;
  rule: string;
  audit: string;
  /** What the range of its gain is taken of; the yardstick and the bounds have none. */
  counts?: readonly TimedCount[];
}

/** What the default rule is to gain, in gains of the yardstick at the same error. */
const AIM = 1.2;
/** Share of would-be incumbents that may be lost. */
const TARGET = 0.02;

export const EQUAL_HEAD = [
  'incumbent',
  'audit',
  'false',
  'gain',
  'yardstick',
  'times',
  'times low',
  'times high',
  'foresight',
  'share',
  'monotone',
  'of it',
  '1.2 times',
  'best other',
  'its gain',
];

/**
 * The default rule beside what others gain at its error. `yardstick`: see {@link gainAt}; `times low` and `times high`: see
 * {@link gainRatioRange}. `foresight`: with the same audits; `share`: of what that gains above 1. `monotone`, `of it`: the same of
 * the best monotone predictor, which bounds rules of its kind only, so that a rule may gain more. `1.2 times`: see {@link goal}.
 * `best other`: of the other rules with these audits, each {@link thinnedGain} to this error, or to 2 % where that is more.
 */
export function equalErrorRows(rows: readonly RuleResult[]): Cell[][] {
  return rows
    .filter(({ rule }) => rule === 'matched-time')
    .map((ours) => {
      const beside = rows.filter(({ incumbent }) => incumbent === ours.incumbent);
      const audited = beside.filter(({ audit }) => audit === ours.audit);
      const settings = beside.filter(({ rule }) => rule.startsWith(YARDSTICK));
      const yardstick = gainAt(settings, ours.error);
      const range = ours.counts ? gainRatioRange(ours.counts, settings) : NO_RANGE;
      const least = ours.counts ? boundFalseAborts(ours.counts, 1).low : 0;
      const gainOf = (name: string): number | null => audited.find(({ rule }) => rule === name)?.gain ?? null;
      const [foresight, monotone] = [gainOf(FORESIGHT), gainOf(MONOTONE)];
      const other = bestOther(audited, Math.max(ours.error, TARGET));
      return [
        ours.incumbent,
        ours.audit,
        ours.error.toFixed(4),
        ours.gain.toFixed(2),
        yardstick?.toFixed(2) ?? null,
        yardstick === null ? null : (ours.gain / yardstick).toFixed(2),
        shown(range.low),
        shown(range.high),
        foresight?.toFixed(2) ?? null,
        shareOf(ours.gain, foresight),
        monotone?.toFixed(2) ?? null,
        shareOf(ours.gain, monotone),
        goal({ ...range, least }, { yardstick, foresight }),
        other?.rule ?? null,
        other?.gain.toFixed(2) ?? null,
      ];
    });
}

const NO_RANGE = { low: Number.NaN, high: Number.NaN };

/** Null where there is no such end. */
const shown = (times: number): Cell => (Number.isFinite(times) ? times.toFixed(2) : null);

/** Null where there is nothing to gain. */
const shareOf = (gain: number, most: number | null): Cell =>
  most === null || most <= 1 ? null : ((gain - 1) / (most - 1)).toFixed(2);

/**
 * `errs too much` where even the lower limit of what it loses is above what may be lost. Else `out of reach` where not even
 * foresight with these audits gains so much; `met`, or `missed`, where all of the range lies above, or below; and `not shown`.
 */
function goal(
  { low, high, least }: { low: number; high: number; least: number },
  { yardstick, foresight }: { yardstick: number | null; foresight: number | null },
): string {
  if (least > TARGET) return 'errs too much';
  if (yardstick !== null && foresight !== null && foresight < AIM * yardstick) return 'out of reach';
  if (yardstick === null) return 'not shown';
  if (low >= AIM) return 'met';
  return high < AIM ? 'missed' : 'not shown';
}

function bestOther(rows: readonly RuleResult[], error: number): { rule: string; gain: number } | undefined {
  return rows
    .filter(({ rule }) => rule !== 'matched-time' && ABORT_RULES.some((name) => name === rule.split(' ')[0]))
    .map((row) => ({ rule: row.rule, gain: thinnedGain(row, error) }))
    .sort((a, b) => b.gain - a.gain)[0];
}

/**
 * Gain of a rule without a knob at some error: it judges only so many runs, drawn by lot, that it errs no more; the others
 * take their whole budget. Computed from what it does to all.
 */
export function thinnedGain({ error: own, gain }: Setting, error: number): number {
  const judged = own <= error ? 1 : error / own;
  return 1 / (1 - judged * (1 - 1 / gain));
}
