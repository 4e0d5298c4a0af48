/**
 * Measures the gain of early abort in the second of two researches, by the number of curves carried over from the first.
 * The carried curves are those that the first research let run to their end, audited ones included.
 *   npx tsx experiments/second-researches.ts GPT.jsonl ATARI.jsonl [pairs=40] [carried=30,200]
 */
import { family } from '../bench/abort/families.ts';
import { progress } from '../bench/abort/progress.ts';
import { printTable, type Cell } from '../bench/support/table.ts';
import { pairsOf } from './pays-early/research.ts';
import { setsOf, type CurveSet } from './pays-early/sets.ts';
import { sumsOf, wordsOf } from './pays-early/sums.ts';
import type { ReplayedRun } from '../domain/abort/replay/types.ts';

const [gpt, atari, pairs = '40', carried = '30,200'] = process.argv.slice(2);
if (gpt === undefined || atari === undefined) {
  console.error('Usage: npx tsx experiments/second-researches.ts GPT.jsonl ATARI.jsonl [pairs=40] [carried=30,200]');
  process.exit(2);
}
const numbers = carried.split(',').map(Number);
const simulated = (['power law', 'varied law', 'crossing', 'heavy noise'] as const).map(
  (name, i): CurveSet => ({ name, direction: 'minimize', trials: 100, curves: family(name, 400, i + 1) }),
);
const real = [...(await setsOf({ gpt, atari }, 'tuning')), ...(await setsOf({ gpt, atari }, 'judging'))];
const all = numbers.map((): ReplayedRun[] => []);
const rows = [...real, ...simulated].map((set): Cell[] => {
  progress(set.name);
  const each = numbers.map((count) =>
    pairsOf(set, Number(pairs), { carried: count }).flatMap(({ second }) => second.runs),
  );
  each.forEach((runs, i) => all[i]?.push(...runs));
  return [set.name, (each[0]?.length ?? 0) / Number(pairs), ...each.flatMap((runs) => wordsOf(sumsOf(runs)))];
});
printTable(
  `${pairs} pairs of researches of each set: the second one`,
  ['set', 'trials', ...numbers.flatMap((count) => [`${count} carried: gain`, 'lost'])],
  [...rows, ['all sets', null, ...all.flatMap((runs) => wordsOf(sumsOf(runs)))]],
);
