import type { AbortChoice } from '../../domain/abort/table.ts';
import { replayAll, reportOf } from '../../domain/abort/replay/replay.ts';
import {
  INCUMBENTS,
  type IncumbentKind,
  type ReplayCurve,
  type ReplayedOrder,
  type ReplayPlan,
} from '../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../domain/abort/types.ts';
import { choiceText } from '../../domain/method/axis.ts';
import { printTable, type Cell } from '../support/table.ts';
import { equalErrorRows, EQUAL_HEAD, type RuleResult } from './equal-error/equal-error.ts';
import { AUDITS, YARDSTICKS } from './equal-error/compared-rules.ts';
import { progress } from './progress.ts';
import type { TimedCount } from './equal-error/gain-ratio-range.ts';
import { yardstick } from './yardstick.ts';

/** Orders of the yardstick, which is cheap. */
const YARD_ORDERS = 200;
/** The default rule has ten times the orders of the others, which are slow, or err so often that few orders show it. */
const MORE_ORDERS = 10;

const HEAD = [
  'incumbent',
  'rule',
  'audit',
  'cases',
  'aborted',
  'wanted',
  'false',
  'low',
  'bound',
  'best 10th',
  'gain',
  'regret',
];

/** A rule over all orders. */
interface Row extends RuleResult {
  cells: Cell[];
}

/** Prints all rules on the same curves in several orders, beside the yardstick and the bounds. */
export function compareOnCurves(
  title: string,
  curves: readonly ReplayCurve[],
  { repeats, rules }: { repeats: number; rules: readonly AbortChoice[] },
): void {
  const rows = INCUMBENTS.flatMap((incumbent) => [
    ...plain(title, curves, incumbent),
    ...AUDITS.flatMap((audit) =>
      rules.map((rule) => {
        progress(`${title}, ${incumbent}, audit ${audit.name}: ${choiceText(rule)}`);
        const orders = rule === 'matched-time' ? repeats * MORE_ORDERS : repeats;
        const plan = planOf(rule, { incumbent, audit: audit.plan, repeats: orders });
        return { incumbent, rule: choiceText(rule), audit: audit.name, ...measured(curves, plan) };
      }),
    ),
  ]);
  printTable(
    `${title}: ${curves.length} curves, ${repeats} orders, ${MORE_ORDERS * repeats} of matched-time, ` +
      `${YARD_ORDERS} of the yardstick and the bounds`,
    HEAD,
    rows.map(({ incumbent, rule, audit, cells }) => [incumbent, rule, audit, ...cells]),
  );
  printTable(`${title}, at the error of matched-time`, EQUAL_HEAD, equalErrorRows(rows));
}

const planOf = (rule: AbortChoice, how: Pick<ReplayPlan, 'incumbent' | 'audit' | 'repeats'>): ReplayPlan => ({
  ...DEFAULT_ABORT,
  rule,
  direction: 'minimize',
  slots: 1,
  seed: 1,
  ...how,
});

function measured(curves: readonly ReplayCurve[], plan: ReplayPlan): Pick<Row, 'error' | 'gain' | 'counts' | 'cells'> {
  const orders = replayAll(curves, plan);
  const report = reportOf(curves, orders, plan);
  const cells = [
    report.wouldBeIncumbents,
    report.aborted.toFixed(2),
    report.wantedFalse.toFixed(3),
    report.falseAborts.toFixed(3),
    report.falseAbortLower95.toFixed(3),
    `${report.falseAbortUpper95.toFixed(3)}${report.undecided ? ' undecided' : ''}`,
    report.bestTenthAborts.toFixed(3),
    report.gain.toFixed(3),
    report.regret.toFixed(5),
  ];
  return { error: report.falseAborts, gain: report.gain, counts: countsOf(curves, orders), cells };
}

/** Counts for each curve, over all orders: would-be incumbents, the stopped ones among them, and slot time. */
export function countsOf(curves: readonly ReplayCurve[], orders: readonly ReplayedOrder[]): TimedCount[] {
  const counts = curves.map(({ group }) => ({ group, cases: 0, hits: 0, whole: 0, used: 0 }));
  for (const run of orders.flatMap(({ runs }) => runs)) {
    const count = counts[run.curve];
    if (!count) continue;
    count.whole += run.whole;
    count.used += run.used;
    if (!run.wouldBeIncumbent) continue;
    count.cases += 1;
    if (run.aborted) count.hits += 1;
  }
  return counts;
}

/** Rows of the yardstick and the bounds, which have neither "wanted" nor a bound over groups. */
function plain(title: string, curves: readonly ReplayCurve[], incumbent: IncumbentKind): Row[] {
  progress(`${title}, ${incumbent}: the yardstick and the bounds`);
  return YARDSTICKS.map(({ name, audit, rule }) => {
    const row = yardstick(curves, rule, { repeats: YARD_ORDERS, seed: 1, incumbent });
    const shown = [row.aborted.toFixed(2), null, row.falseAborts.toFixed(3), null, null, null, row.gain.toFixed(3)];
    const cells = [row.wouldBeIncumbents, ...shown, row.regret.toFixed(5)];
    return { incumbent, rule: name, audit, error: row.falseAborts, gain: row.gain, cells };
  });
}
