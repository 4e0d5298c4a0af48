/**
 * Rules of early abort side by side: on real curves and on families whose truth is known, against a plain yardstick.
 *   npx tsx bench/abort.ts [CURVES.jsonl|-] [repeats] [track …]      (5 repeats of everything: half an hour on one core)
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_AUDIT, type AuditPlan } from '../domain/abort/audit/lot.ts';
import { replay } from '../domain/abort/replay/replay.ts';
import { INCUMBENTS, type ReplayCurve } from '../domain/abort/replay/types.ts';
import { ABORT_RULES } from '../domain/abort/names.ts';
import { openRule } from '../domain/abort/rules.ts';
import { DEFAULT_ABORT } from '../domain/abort/types.ts';
import { binomialInterval } from '../domain/statistics/binomial-interval.ts';
import { readCurves } from '../tasks/read-curves.ts';
import { family, FAMILIES } from './abort/families.ts';
import { yardstick } from './abort/yardstick.ts';
import { printTable, type Cell } from './support/table.ts';

const HEAD = [
  'incumbent',
  'rule',
  'audit',
  'cases',
  'aborted',
  'wanted',
  'false',
  'bound',
  'best 10th',
  'gain',
  'regret',
];
/** Orders of the yardstick, which costs next to nothing. */
const YARD_ORDERS = 200;
/** Times that a family is drawn anew. */
const SEEDS = 30;
const AUDITS: { name: string; plan: AuditPlan }[] = [
  { name: 'first 30, 5 %', plan: DEFAULT_AUDIT },
  { name: '5 %', plan: { first: 0, share: 0.05 } },
];
/** Finals below this are of another quantity than the rest of the shared curves; the yardstick leaves them out too. */
const LOWEST = 0.5;
const fixed = (value: number, digits = 3): string => value.toFixed(digits);

function compare(title: string, curves: readonly ReplayCurve[], repeats: number): void {
  const yard = ([1.64, 2.33, 3, 3.5] as const).map((z): Cell[] => {
    const row = yardstick(curves, { kind: 'regression', z }, { repeats: YARD_ORDERS, seed: 1 });
    return [
      'running',
      `yardstick z = ${z}`,
      '5 %',
      row.cases,
      fixed(row.aborted, 2),
      null,
      fixed(row.falseAborts),
      null,
      null,
      fixed(row.gain),
      fixed(row.regret, 5),
    ];
  });
  const bounds = (['foresight', 'monotone'] as const).map((kind): Cell[] => {
    const bound = yardstick(curves, { kind }, { repeats: YARD_ORDERS, seed: 1 });
    const name = kind === 'foresight' ? 'perfect foresight' : 'best monotone, in hindsight';
    return [
      'running',
      name,
      'none',
      bound.cases,
      fixed(bound.aborted, 2),
      null,
      fixed(bound.falseAborts),
      null,
      null,
      fixed(bound.gain),
      fixed(bound.regret, 5),
    ];
  });
  const rows = INCUMBENTS.flatMap((incumbent) =>
    AUDITS.flatMap(({ name, plan }) =>
      ABORT_RULES.filter((rule) => rule !== 'none').map((rule): Cell[] => {
        const one = replay(curves, {
          ...DEFAULT_ABORT,
          rule,
          direction: 'minimize',
          incumbent,
          slots: 1,
          repeats,
          seed: 1,
          audit: plan,
        });
        const upper = `${fixed(one.falseAbortUpper95)}${one.undecided ? ' undecided' : ''}`;
        return [
          incumbent,
          rule,
          name,
          one.wouldBeIncumbents,
          fixed(one.aborted, 2),
          fixed(one.wantedFalse),
          fixed(one.falseAborts),
          upper,
          fixed(one.bestTenthAborts),
          fixed(one.gain),
          fixed(one.regret, 5),
        ];
      }),
    ),
  );
  printTable(`${title}: ${curves.length} curves, ${repeats} orders (yardstick and bounds: ${YARD_ORDERS})`, HEAD, [
    ...bounds,
    ...yard,
    ...rows,
  ]);
}

/** New curves for each order, so that every would-be incumbent is a case of its own: the default rule beside the yardstick. */
function afresh(): void {
  const rows = FAMILIES.flatMap((name) => {
    const all = Array.from({ length: SEEDS }, (_, i) => family(name, 300, i + 1));
    const yard = ([3, 3.5] as const).map((z): Cell[] => {
      const each = all.map((curves) => yardstick(curves, { kind: 'regression', z }, { repeats: 1, seed: 1 }));
      const judged = each.map(({ cases, falseAborts, gain }) => ({ wouldBeIncumbents: cases, falseAborts, gain }));
      return [name, 'running', `yardstick z = ${z}`, '5 %', ...summary(judged)];
    });
    const ours = INCUMBENTS.flatMap((incumbent) =>
      AUDITS.map(({ name: audit, plan }): Cell[] => {
        const fixedPlan = {
          ...DEFAULT_ABORT,
          direction: 'minimize',
          incumbent,
          slots: 1,
          repeats: 1,
          seed: 1,
        } as const;
        const each = all.map((curves) => replay(curves, { ...fixedPlan, rule: 'matched-time', audit: plan }));
        return [name, incumbent, 'matched-time', audit, ...summary(each)];
      }),
    );
    return [...yard, ...ours];
  });
  const head = ['family', 'incumbent', 'rule', 'audit', 'cases', 'false', 'bound', 'gain'];
  printTable(`${SEEDS} times 300 new curves, one order each`, head, rows);
}

/** Cases, false share with its exact bound (cases are independent), and mean gain. */
function summary(each: readonly { wouldBeIncumbents: number; falseAborts: number; gain: number }[]): Cell[] {
  const cases = each.reduce((sum, one) => sum + one.wouldBeIncumbents, 0);
  const hits = each.reduce((sum, one) => sum + one.falseAborts * one.wouldBeIncumbents, 0);
  const gain = each.reduce((sum, one) => sum + one.gain, 0) / each.length;
  return [cases, fixed(hits / cases), fixed(binomialInterval(hits, cases, 0.95).high), fixed(gain, 2)];
}

/** Cost of one decision at 10,000 points and 1,000 finished runs, in milliseconds: median and 95th percentile. */
function costs(): void {
  const known = family('heavy noise', 1000, 5);
  const points = Array.from({ length: 10_000 }, (_, i) => ({ step: i, elapsed: i, value: 4 - i / 20_000 }));
  const rows = ABORT_RULES.map((name): Cell[] => {
    let rule = openRule(name, { ...DEFAULT_ABORT, direction: 'minimize' });
    for (const { points: curve, budget, final } of known) rule = rule.learn({ points: curve, budget, final });
    const times = Array.from({ length: 300 }, () => {
      const begun = performance.now();
      rule.decide({ points, budget: { kind: 'steps', total: 20_000 }, incumbent: 3.26 });
      return performance.now() - begun;
    }).sort((a, b) => a - b);
    return [name, fixed(times[150] ?? 0), fixed(times[285] ?? 0)];
  });
  printTable('Cost of a decision, ms', ['rule', 'median', '95 %'], rows);
}

/** Prints all tables; every figure can be repeated to the digit but for the costs. */
export function main(file: string | undefined, repeats: number, tracks: readonly string[]): void {
  costs();
  afresh();
  for (const name of FAMILIES) compare(`Family ${name}`, family(name, 300, 1), repeats);
  if (file === undefined || file === '-') return;
  const text = readFileSync(file, 'utf8');
  for (const track of tracks) {
    const curves = readCurves(text, { track }).curves.filter(({ final }) => final >= LOWEST);
    compare(
      track,
      curves.filter(({ points }) => points.every(({ value }) => Number.isFinite(value))),
      repeats,
    );
  }
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  const [, , file, repeats = '5', ...tracks] = process.argv;
  const all = ['track_1_short', 'track_2_medium', 'track_3_optimization'];
  main(file, Math.max(1, Number(repeats)), tracks.length > 0 ? tracks : all);
}
