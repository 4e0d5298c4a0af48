import type { AbortChoice } from '../../domain/abort/table.ts';
import { boundFalseAborts } from '../../domain/abort/replay/bound-false-aborts.ts';
import { replay } from '../../domain/abort/replay/replay.ts';
import { INCUMBENTS, type IncumbentKind, type ReplayCurve } from '../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { choiceText } from '../../domain/method/axis.ts';
import { printTable, type Cell } from '../support/table.ts';
import { equalErrorRows, EQUAL_HEAD, type RuleResult } from './equal-error/equal-error.ts';
import { family, type Family } from './families.ts';
import { AUDITS, YARDSTICKS } from './equal-error/compared-rules.ts';
import { progress } from './progress.ts';
import type { TimedCount } from './equal-error/gain-ratio-range.ts';
import { yardstick } from './yardstick.ts';

/** Runs of a research. */
export const RUNS = 300;

/** One research under one rule. */
interface Research {
  wouldBeIncumbents: number;
  falseAborts: number;
  gain: number;
}

export const SUMMARY_HEAD = ['cases', 'false', 'low', 'bound', 'gain', '±'];

/** A rule over all researches. */
interface Row extends RuleResult {
  cells: Cell[];
}

/**
 * Prints the default rule beside the yardstick and the bounds, on new curves for each research, in one order each.
 * The other rules are slow, so they replay only the first `others` researches.
 * Runs of one research share the state of the rule, so the bounds are over researches.
 */
export function compareOnFamilies(
  researches: number,
  { families, others, rules }: { families: readonly Family[]; others: number; rules: readonly AbortChoice[] },
): void {
  for (const name of families) {
    const all = Array.from({ length: researches }, (_, i) => family(name, RUNS, i + 1));
    const few = all.slice(0, others);
    const rows = INCUMBENTS.flatMap((incumbent) => [
      ...plain(name, all, incumbent),
      ...rules.flatMap((rule) => {
        progress(`${name}, ${incumbent}: ${choiceText(rule)}`);
        return replayed(rule, rule === 'matched-time' ? all : few, incumbent);
      }),
    ]);
    printTable(
      `${name}: ${researches} researches of ${RUNS} new runs, one order each; other rules: ${few.length}`,
      ['family', 'incumbent', 'rule', 'audit', ...SUMMARY_HEAD],
      rows.map(({ incumbent, rule, audit, cells }) => [name, incumbent, rule, audit, ...cells]),
    );
    printTable(`${name}, at the error of matched-time`, EQUAL_HEAD, equalErrorRows(rows));
  }
}

function plain(title: string, all: readonly ReplayCurve[][], incumbent: IncumbentKind): Row[] {
  progress(`${title}, ${incumbent}: the yardstick and the bounds`);
  return YARDSTICKS.map(({ name, audit, rule }) => {
    const each = all.map((curves) => yardstick(curves, rule, { repeats: 1, seed: 1, incumbent }));
    return rowOf({ incumbent, rule: name, audit }, each);
  });
}

const replayed = (rule: AbortChoice, all: readonly ReplayCurve[][], incumbent: IncumbentKind): Row[] =>
  AUDITS.map(({ name, plan: audit }) => {
    const plan = { ...DEFAULT_ABORT, rule, direction: 'minimize', incumbent, audit, slots: 1, repeats: 1 } as const;
    const each = all.map((curves, i) => replay(curves, { ...plan, seed: i + 1 }));
    return rowOf({ incumbent, rule: choiceText(rule), audit: name }, each);
  });

function rowOf(key: Pick<Row, 'incumbent' | 'rule' | 'audit'>, each: readonly Research[]): Row {
  const hits = sum(each.map((one) => one.falseAborts * one.wouldBeIncumbents));
  const error = hits / Math.max(1, sum(each.map((one) => one.wouldBeIncumbents)));
  return {
    ...key,
    error,
    gain: sum(each.map((one) => one.gain)) / each.length,
    counts: countsOf(each),
    cells: summary(each),
  };
}

/** Counts with each research as a group of its own. */
const countsOf = (each: readonly Research[]): TimedCount[] =>
  each.map(({ wouldBeIncumbents, falseAborts, gain }, i) => ({
    group: String(i),
    cases: wouldBeIncumbents,
    hits: Math.round(falseAborts * wouldBeIncumbents),
    whole: gain,
    used: 1,
  }));

/** Cells for {@link SUMMARY_HEAD}: `low` and `bound` are the 95 % limits over researches, `±` is a standard error. */
export function summary(each: readonly Research[]): Cell[] {
  const counts = countsOf(each);
  const [cases, hits] = [sum(counts.map((one) => one.cases)), sum(counts.map((one) => one.hits))];
  const { low, high } = boundFalseAborts(counts, 1);
  const gain = sum(each.map((one) => one.gain)) / each.length;
  const spread = Math.sqrt(sum(each.map((one) => (one.gain - gain) ** 2)) / Math.max(1, each.length - 1));
  return [
    cases,
    (hits / Math.max(1, cases)).toFixed(4),
    low.toFixed(4),
    high.toFixed(4),
    gain.toFixed(2),
    (spread / Math.sqrt(each.length)).toFixed(2),
  ];
}

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
