import { ABORT_RULES } from '../../../domain/abort/table.ts';
import { boundFalseAborts } from '../../../domain/abort/replay/bound-false-aborts.ts';
import type { Cell } from '../../support/table.ts';
import { gainAt, type Setting } from './gain-at.ts';
import { FORESIGHT, MONOTONE, YARDSTICK } from './compared-rules.ts';
import { gainRatioRange, type TimedCount } from './gain-ratio-range.ts';

/** A row of a table of rules: the share of would-be incumbents that were lost, and the gain. */
export interface RuleResult extends Setting {
  incumbent: string;
  rule: string;
  audit: string;
  /** Counts for the range of the gain; the yardstick and the bounds have none. */
  counts?: readonly TimedCount[];
}

/** Goal for the gain of the default rule, in gains of the yardstick at the same error. */
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
 * Rows of the default rule, beside the gains of others at its error. Columns:
 * - `yardstick`: see {@link gainAt}; `times low`, `times high`: see {@link gainRatioRange}.
 * - `foresight`: its gain with the same audits; `share`: the rule's gain above 1 as a share of that of foresight.
 * - `monotone`, `of it`: the same for the best monotone predictor. It bounds rules of its kind only, so a rule may gain
 *   more.
 * - `1.2 times`: see {@link goal}.
 * - `best other`: the best other rule with these audits, each with its {@link thinnedGain} at this error, or at 2 % if
 *   that is more.
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

/** The cell of an end of the range; null if the range has no such end. */
const shown = (times: number): Cell => (Number.isFinite(times) ? times.toFixed(2) : null);

/** Share of the possible gain above 1; null if nothing can be gained. */
const shareOf = (gain: number, most: number | null): Cell =>
  most === null || most <= 1 ? null : ((gain - 1) / (most - 1)).toFixed(2);

/**
 * Judges the goal of {@link AIM} times the gain of the yardstick:
 * - `errs too much`: even the lower limit `least` of the error is above {@link TARGET}.
 * - `out of reach`: not even foresight with these audits gains so much.
 * - `met` or `missed`: the whole range lies above the goal, or below it.
 * - `not shown`: none of these.
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
 * Gain of a rule without a knob at the given error, computed from its gain on all runs. It judges only a random part of
 * the runs, so few that it errs no more; the others take their whole budget.
 */
export function thinnedGain(setting: Setting, error: number): number {
  const judged = setting.error <= error ? 1 : error / setting.error;
  return 1 / (1 - judged * (1 - 1 / setting.gain));
}
