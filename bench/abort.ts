/**
 * Rules of early abort side by side: on families whose truth is known and on real curves, against a plain yardstick.
 *   npx tsx bench/abort.ts [--researches 100] [--others 5] [--family "power law" …] [CURVES.jsonl|-] [repeats] [track …]
 *   npx tsx bench/abort.ts --first-test 20      (what each half of the first test of matched-time does)
 * `--researches`: how often each family is drawn anew, 10 seconds of a core for all nine; 0 leaves families out. `--others`: for how
 * many of these the rules other than the default are replayed, too, @@ for all nine. The real curves
 * take some ten minutes of a core with 4 repeats.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCurves } from '../tasks/read-curves.ts';
import { afresh } from './abort/afresh.ts';
import { compare } from './abort/compare.ts';
import { costs } from './abort/costs.ts';
import { FAMILIES, type Family } from './abort/families.ts';
import { compareFirstTests } from './abort/first-test.ts';

/** Finals below this are of another quantity than the rest of the shared curves; the yardstick leaves them out too. */
const LOWEST = 0.5;

interface Plan {
  researches: number;
  /** Of these, with the rules other than the default. */
  others: number;
  families: readonly Family[];
  repeats: number;
  tracks: readonly string[];
}

/** Prints all tables; every figure can be repeated to the digit but for the costs. */
export function main(file: string | undefined, { researches, others, families, repeats, tracks }: Plan): void {
  costs();
  if (researches > 0) afresh(researches, families, others);
  if (file === undefined || file === '-') return;
  const text = readFileSync(file, 'utf8');
  for (const track of tracks) {
    const curves = readCurves(text, { track }).curves.filter(({ final }) => final >= LOWEST);
    const finite = curves.filter(({ points }) => points.every(({ value }) => Number.isFinite(value)));
    compare(track, finite, repeats);
  }
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      researches: { type: 'string', default: '100' },
      others: { type: 'string', default: '5' },
      family: { type: 'string', multiple: true },
      'first-test': { type: 'string' },
    },
  });
  const [file, repeats = '5', ...named] = positionals;
  const tracks = named.length > 0 ? named : ['track_1_short', 'track_2_medium', 'track_3_optimization'];
  const families = values.family?.map(familyOf) ?? FAMILIES;
  const firstTest = values['first-test'];
  if (firstTest !== undefined) compareFirstTests(atLeast(1, firstTest));
  else
    main(file, {
      repeats: atLeast(1, repeats),
      researches: atLeast(0, values.researches),
      others: atLeast(1, values.others),
      families,
      tracks,
    });
}

function familyOf(name: string): Family {
  const family = FAMILIES.find((one) => one === name);
  if (family === undefined) throw new RangeError(`expected one of ${FAMILIES.join(', ')}, came ${name}`);
  return family;
}

function atLeast(least: number, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`expected a whole number from ${least} on, came ${text}`);
}
