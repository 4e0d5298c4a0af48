/**
 * Measures the gain of early abort in researches that begin with known curves, by the number of known curves. Each
 * research draws its own runs and the known curves from one set. All numbers of known curves judge the same runs.
 *   npx tsx experiments/carried-curves.ts GPT.jsonl ATARI.jsonl [researches=40] [known=0,30,100]
 */
import { AUDIT_SHARE, BY_PLAN, planAudit } from '../domain/abort/audit/audit-plan.ts';
import { ordersOf, replayOrder } from '../domain/abort/replay/replay-order.ts';
import type { ReplayCurve, ReplayedRun } from '../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../domain/abort/types.ts';
import { family, type Family } from '../bench/abort/families.ts';
import { progress } from '../bench/abort/progress.ts';
import { printTable, type Cell } from '../bench/support/table.ts';
import { setsOf, type CurveSet } from './pays-early/sets.ts';
import { sumsOf, wordsOf, type Sums } from './pays-early/sums.ts';

/** Runs of the research that is judged; a set with few curves leaves fewer. */
const TRIALS = 46;
/** Simulated curves; the last two mislead any rule that compares with finished runs. */
const SIMULATED: readonly Family[] = [
  'power law',
  'varied law',
  'late drop',
  'crossing',
  'heavy noise',
  'AR(1) .9',
  'late winners',
  'uneven winners',
];

const [gpt, atari, researches = '40', known = '0,30,100'] = process.argv.slice(2);
if (gpt === undefined || atari === undefined) {
  console.error('Usage: npx tsx experiments/carried-curves.ts GPT.jsonl ATARI.jsonl [researches=40] [known=0,30,100]');
  process.exit(2);
}
const numbers = known.split(',').map(Number);
const real = [...(await setsOf({ gpt, atari }, 'tuning')), ...(await setsOf({ gpt, atari }, 'judging'))];
const simulated = SIMULATED.map(
  (name, i): CurveSet => ({ name, direction: 'minimize', trials: TRIALS, curves: family(name, 1500, i + 1) }),
);
const all = numbers.map((): ReplayedRun[] => []);
const rows = [...real, ...simulated].map((set): Cell[] => {
  progress(`${set.name}: ${set.curves.length} curves`);
  const each = numbers.map((count) => replayed(set, count));
  each.forEach((runs, i) => all[i]?.push(...runs));
  return [set.name, set.curves.length, ...each.flatMap((runs) => wordsOf(sumsOf(runs)))];
});
const sums = all.map((runs): Sums => sumsOf(runs));
printTable(
  `${researches} researches of ${TRIALS} runs of each set`,
  ['set', 'curves', ...numbers.flatMap((count) => [`${count} known: gain`, 'lost'])],
  [...rows, ['all sets', null, ...sums.flatMap(wordsOf)]],
);

/** All runs of the researches of a set that begin with a number of known curves, or with as many as the set leaves. */
function replayed({ curves, direction }: CurveSet, count: number): ReplayedRun[] {
  const trials = Math.min(TRIALS, Math.floor(curves.length / 2));
  return ordersOf(curves.length, { repeats: Number(researches) + 1, seed: 1 })
    .slice(1)
    .flatMap((order, i) => {
      const drawn = (from: number, to: number): ReplayCurve[] =>
        order.slice(from, to).flatMap((index) => curves[index] ?? []);
      const own = drawn(0, trials);
      const plan = {
        ...DEFAULT_ABORT,
        rule: 'matched-time',
        direction,
        incumbent: 'running',
        slots: 1,
        repeats: 1,
        seed: i + 1,
        audit: planAudit({ first: BY_PLAN, share: AUDIT_SHARE }, trials),
        known: drawn(trials, trials + count),
      } as const;
      return replayOrder(own, own.map((_, position) => position), plan).runs;
    });
}
