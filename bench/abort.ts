/**
 * Rules of early abort side by side: on families whose truth is known and on real curves, against a plain yardstick.
 *   npx tsx bench/abort.ts [--researches 100] [--others 5] [--family "power law" …] [--rule asha …] [CURVES.jsonl|-] [repeats] [track …]
 *   npx tsx bench/abort.ts --first-test 20      (what each half of the first test of matched-time does)
 * `--researches`: how often each family is drawn anew, 10 seconds of a core for each time; 0 leaves families out. `--others`: for
 * how many of these the rules other than the default are replayed, too, half a minute for each. `--family`: these, also of the
 * harder ones; `--rule`: only these rules. The real curves take some ten minutes of a core with 4 repeats.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ABORT_RULES, type AbortRuleName } from '../domain/abort/names.ts';
import { readCurves } from '../tasks/read-curves.ts';
import { afresh } from './abort/afresh.ts';
import { compare } from './abort/compare.ts';
import { costs } from './abort/costs.ts';
import { FAMILIES, HARDER, type Family } from './abort/families.ts';
import { compareFirstTests } from './abort/first-test.ts';

/** Finals below this are of another quantity than the rest of the shared curves; the yardstick leaves them out too. */
const LOWEST = 0.5;

interface Plan {
  researches: number;
  /** Of these, with the rules other than the default. */
  others: number;
  families: readonly Family[];
  rules: readonly AbortRuleName[];
  repeats: number;
  tracks: readonly string[];
}

/** Prints all tables; every figure can be repeated to the digit but for the costs. */
export function main(file: string | undefined, { researches, others, families, rules, repeats, tracks }: Plan): void {
  costs();
  if (researches > 0) afresh(researches, { families, others, rules });
  if (file === undefined || file === '-') return;
  const text = readFileSync(file, 'utf8');
  for (const track of tracks) {
    const curves = readCurves(text, { track }).curves.filter(({ final }) => final >= LOWEST);
    const finite = curves.filter(({ points }) => points.every(({ value }) => Number.isFinite(value)));
    compare(track, finite, { repeats, rules });
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
      rule: { type: 'string', multiple: true },
      'first-test': { type: 'string' },
    },
  });
  const [file, repeats = '5', ...named] = positionals;
  const tracks = named.length > 0 ? named : ['track_1_short', 'track_2_medium', 'track_3_optimization'];
  const families = values.family?.map((name) => oneOf([...FAMILIES, ...HARDER], name)) ?? FAMILIES;
  const all = ABORT_RULES.filter((rule) => rule !== 'none');
  const rules = values.rule?.map((name) => oneOf(all, name)) ?? all;
  const firstTest = values['first-test'];
  if (firstTest !== undefined) compareFirstTests(atLeast(1, firstTest));
  else
    main(file, {
      repeats: atLeast(1, repeats),
      researches: atLeast(0, values.researches),
      others: atLeast(1, values.others),
      families,
      rules,
      tracks,
    });
}

function oneOf<Name extends string>(names: readonly Name[], given: string): Name {
  const name = names.find((one) => one === given);
  if (name === undefined) throw new RangeError(`expected one of ${names.join(', ')}, came ${given}`);
  return name;
}

function atLeast(least: number, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`expected a whole number from ${least} on, came ${text}`);
}
