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

/** Orders of the yardstick, which costs next to nothing. */
const YARD_ORDERS = 200;
/** The default rule has ten times the orders of the others, which are slow or err so much that few show it. */
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

/** All rules over the same curves in several orders, with the yardstick and the bounds beside them. */
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
    `${title}: ${curves.length} curves, ${repeats} orders, ${MORE_ORDERS * repeats} of matched-time, ${YARD_ORDERS} of the yardstick and the bounds`,
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
  const one = reportOf(curves, orders, plan);
  const cells = [
    one.wouldBeIncumbents,
    one.aborted.toFixed(2),
    one.wantedFalse.toFixed(3),
    one.falseAborts.toFixed(3),
    one.falseAbortLower95.toFixed(3),
    `${one.falseAbortUpper95.toFixed(3)}${one.undecided ? ' undecided' : ''}`,
    one.bestTenthAborts.toFixed(3),
    one.gain.toFixed(3),
    one.regret.toFixed(5),
  ];
  return { error: one.falseAborts, gain: one.gain, counts: countsOf(curves, orders), cells };
}

/** Would-be incumbents of each curve over all orders, those of them that were stopped, and its slot time. */
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

/** The yardstick and the bounds, which know of no "wanted" and have no bound over groups. */
function plain(title: string, curves: readonly ReplayCurve[], incumbent: IncumbentKind): Row[] {
  progress(`${title}, ${incumbent}: the yardstick and the bounds`);
  return YARDSTICKS.map(({ name, audit, rule }) => {
    const row = yardstick(curves, rule, { repeats: YARD_ORDERS, seed: 1, incumbent });
    const shown = [row.aborted.toFixed(2), null, row.falseAborts.toFixed(3), null, null, null, row.gain.toFixed(3)];
    const cells = [row.wouldBeIncumbents, ...shown, row.regret.toFixed(5)];
    return { incumbent, rule: name, audit, error: row.falseAborts, gain: row.gain, cells };
  });
}
