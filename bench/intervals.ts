/**
 * Compares the 95 % intervals of claims with the true values, in simulated researches with the gate of production.
 *   npx tsx bench/intervals.ts [repeats] [trials]      (300 repeats of 60 trials: two minutes on one core)
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measureScene, type Coverage } from './intervals/measure.ts';
import { SCENES } from './intervals/scenes.ts';
import { printTable } from './support/table.ts';

const fixed = (value: number): string => value.toFixed(2);
const cells = ({ covered, error, half }: Coverage): string[] => [covered.toFixed(3), fixed(half), error.toFixed(3)];

/** Prints the tables of values and of gains. Seeds count from a fixed number, so each run prints the same figures. */
export function main(repeats: number, trials: number): void {
  const begun = performance.now();
  const measured = SCENES.map((scene) => ({ ...measureScene(scene, { trials, repeats }), name: scene.name }));
  const title = (what: string): string =>
    `${what} of the last claim, in sd of one run: ${repeats} researches of ${trials} trials a row`;
  const head = ['covered', '±', 'bias'];
  const columns = ['scene', 'claims', ...head, ...head.map((name) => `race: ${name}`)];
  printTable(
    title('Value'),
    columns,
    measured.map(({ name, claims, value, raceValue }) => [name, claims, ...cells(value), ...cells(raceValue)]),
  );
  printTable(
    title('Gain over the baseline'),
    [...columns, 'runs/trial'],
    measured.map(({ name, claims, gain, raceGain, runsPerTrial }) => [
      name,
      claims,
      ...cells(gain),
      ...cells(raceGain),
      fixed(runsPerTrial),
    ]),
  );
  process.stdout.write(`\n${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url))
  main(Math.max(1, Number(process.argv[2] ?? 300)), Math.max(1, Number(process.argv[3] ?? 60)));
