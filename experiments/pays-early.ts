/**
 * What early abort pays in short researches, with the defaults: a first one, and a second one of other runs that knows what
 * finished in the first. One third of the recipes and games, by a hash of their names, is for choosing (tuning); the rest judges.
 *   npx tsx experiments/pays-early.ts GPT.jsonl ATARI.jsonl [judging|tuning=judging] [researches=100]
 */
import { pairsOf } from './pays-early/research.ts';
import { setsOf, type Role } from './pays-early/sets.ts';
import { sumsOf, wordsOf } from './pays-early/sums.ts';
import { plain } from './pays-early/yardstick.ts';
import { progress } from '../bench/abort/progress.ts';
import { printTable, type Cell } from '../bench/support/table.ts';

const USAGE = 'Usage: npx tsx experiments/pays-early.ts GPT.jsonl ATARI.jsonl [judging|tuning] [researches=100]';
/** Standard errors that the plain regression asks for. */
const ZS = [1.64, 2.33, 3, 4, 6, 8];

const [gpt, atari, role = 'judging', researches = '100'] = process.argv.slice(2);
const repeats = Number(researches);
if (gpt === undefined || atari === undefined || !isRole(role) || !(Number.isInteger(repeats) && repeats > 0)) {
  console.error(USAGE);
  process.exit(2);
}
const sets = await setsOf({ gpt, atari }, role);
const rows = sets.flatMap((set): Cell[][] => {
  progress(`${set.name}: ${repeats} pairs of researches`);
  const pairs = pairsOf(set, repeats);
  const first = wordsOf(sumsOf(pairs.flatMap((pair) => pair.first.runs)));
  const second = wordsOf(sumsOf(pairs.flatMap((pair) => pair.second.runs)));
  const plains = ZS.map((z): Cell[] => [set.name, `plain, z ${z}`, set.trials, ...wordsOf(plain(set, repeats, z))]);
  return [
    [set.name, 'first', pairs[0]?.first.runs.length ?? 0, ...first],
    [set.name, 'second', pairs[0]?.second.runs.length ?? 0, ...second],
    ...plains,
  ];
});
printTable(
  `${role}: ${repeats} pairs of researches`,
  ['set', 'research', 'trials', 'gain', 'would-be winners stopped'],
  rows,
);

function isRole(text: string): text is Role {
  return text === 'judging' || text === 'tuning';
}
