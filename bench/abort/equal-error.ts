import { ABORT_RULES } from '../../domain/abort/names.ts';
import type { Cell } from '../support/table.ts';
import { FORESIGHT, YARDSTICK } from './lists.ts';

/** A row of a table of rules: share of would-be incumbents that were lost, and gain. */
export interface Measured {
  incumbent: string;
  rule: string;
  audit: string;
  error: number;
  gain: number;
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
  'foresight',
  'share',
  '1.2 times',
  'best other',
  'its gain',
];

/**
 * The default rule beside what others gain at its error. `yardstick`: see {@link gainAt}. `foresight`: with the same audits;
 * `share`: of what that gains above 1. `1.2 times` is out of reach where not even foresight with these audits gains so much.
 * `best other`: of the other rules with these audits, each {@link thinned} to this error, or to 2 % where that is more.
 */
export function atEqualError(rows: readonly Measured[]): Cell[][] {
  return rows
    .filter(({ rule }) => rule === 'matched-time')
    .map((ours) => {
      const beside = rows.filter(({ incumbent }) => incumbent === ours.incumbent);
      const audited = beside.filter(({ audit }) => audit === ours.audit);
      const settings = beside.filter(({ rule }) => rule.startsWith(YARDSTICK));
      const yardstick = settings.length > 0 ? gainAt(settings, ours.error) : null;
      const foresight = audited.find(({ rule }) => rule === FORESIGHT)?.gain ?? null;
      const other = bestOther(audited, Math.max(ours.error, TARGET));
      return [
        ours.incumbent,
        ours.audit,
        ours.error.toFixed(4),
        ours.gain.toFixed(2),
        yardstick?.toFixed(2) ?? null,
        yardstick === null ? null : (ours.gain / yardstick).toFixed(2),
        foresight?.toFixed(2) ?? null,
        shareOf(ours.gain, foresight),
        yardstick === null || foresight === null ? null : goal(ours.gain, { yardstick, foresight }),
        other?.rule ?? null,
        other?.gain.toFixed(2) ?? null,
      ];
    });
}

/** Null where there is nothing to gain. */
const shareOf = (gain: number, most: number | null): Cell =>
  most === null || most <= 1 ? null : ((gain - 1) / (most - 1)).toFixed(2);

function goal(gain: number, beside: { yardstick: number; foresight: number }): string {
  const aim = AIM * beside.yardstick;
  if (gain >= aim) return 'met';
  return beside.foresight < aim ? 'out of reach' : 'missed';
}

function bestOther(rows: readonly Measured[], error: number): { rule: string; gain: number } | undefined {
  return rows
    .filter(({ rule }) => rule !== 'matched-time' && (ABORT_RULES as readonly string[]).includes(rule))
    .map((row) => ({ rule: row.rule, gain: thinned(row, error) }))
    .sort((a, b) => b.gain - a.gain)[0];
}

type Setting = Pick<Measured, 'error' | 'gain'>;

/**
 * Gain of a rule with a knob at some error: of the settings that err no more the best, or a line to the next bolder one
 * where that is higher. Where all err more, that of the shyest, which says too much for it.
 */
export function gainAt(settings: readonly Setting[], error: number): number {
  const sorted = [...settings].sort((a, b) => a.error - b.error || a.gain - b.gain);
  const within = sorted.filter((one) => one.error <= error);
  const [below, above] = [within.at(-1), sorted[within.length]];
  if (!below) return above?.gain ?? 1;
  const best = Math.max(...within.map(({ gain }) => gain));
  if (!above) return best;
  const way = (error - below.error) / (above.error - below.error);
  return Math.max(best, below.gain + way * (above.gain - below.gain));
}

/**
 * Gain of a rule without a knob at some error: it judges only so many runs, drawn by lot, that it errs no more; the others
 * take their whole budget. Computed from what it does to all.
 */
export function thinned({ error: own, gain }: Setting, error: number): number {
  const judged = own <= error ? 1 : error / own;
  return 1 / (1 - judged * (1 - 1 / gain));
}
