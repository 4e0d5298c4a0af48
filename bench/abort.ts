/**
 * Rules of early abort side by side: on real curves and on families whose truth is known, against a plain yardstick.
 *   npx tsx bench/abort.ts [--researches 100] [CURVES.jsonl|-] [repeats] [track …]
 * `--researches`: how often each family is drawn anew, 5 seconds of a core for all nine; 0 leaves that out. The rest takes some ten
 * minutes of a core with 4 repeats.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { replay } from '../domain/abort/replay/replay.ts';
import { INCUMBENTS, type IncumbentKind, type ReplayCurve } from '../domain/abort/replay/types.ts';
import { ABORT_RULES } from '../domain/abort/names.ts';
import { DEFAULT_ABORT } from '../domain/abort/types.ts';
import { readCurves } from '../tasks/read-curves.ts';
import { afresh, AUDITS, YARDSTICKS } from './abort/afresh.ts';
import { costs } from './abort/costs.ts';
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
/** Finals below this are of another quantity than the rest of the shared curves; the yardstick leaves them out too. */
const LOWEST = 0.5;
const fixed = (value: number, digits = 3): string => value.toFixed(digits);

/** All rules, with the yardstick and the bounds or without them. */
function compare(title: string, curves: readonly ReplayCurve[], how: { repeats: number; beside: boolean }): void {
  const { repeats, beside } = how;
  const rows = INCUMBENTS.flatMap((incumbent) => [
    ...(beside ? plain(curves, incumbent) : []),
    ...AUDITS.flatMap((audit) =>
      ABORT_RULES.filter((rule) => rule !== 'none').map((rule): Cell[] => {
        const plan = { ...DEFAULT_ABORT, rule, direction: 'minimize', incumbent, audit: audit.plan } as const;
        const one = replay(curves, { ...plan, slots: 1, repeats, seed: 1 });
        const upper = `${fixed(one.falseAbortUpper95)}${one.undecided ? ' undecided' : ''}`;
        return [
          incumbent,
          rule,
          audit.name,
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
  ]);
  const yard = beside ? ` (yardstick and bounds: ${YARD_ORDERS})` : '';
  printTable(`${title}: ${curves.length} curves, ${repeats} orders${yard}`, HEAD, rows);
}

/** The yardstick and the bounds, which know of no "wanted" and have no bound over groups. */
const plain = (curves: readonly ReplayCurve[], incumbent: IncumbentKind): Cell[][] =>
  YARDSTICKS.map(({ name, audit, rule }) => {
    const row = yardstick(curves, rule, { repeats: YARD_ORDERS, seed: 1, incumbent });
    return [
      incumbent,
      name,
      audit,
      row.wouldBeIncumbents,
      fixed(row.aborted, 2),
      null,
      fixed(row.falseAborts),
      null,
      null,
      fixed(row.gain),
      fixed(row.regret, 5),
    ];
  });

/** Prints all tables; every figure can be repeated to the digit but for the costs. */
export function main(file: string | undefined, how: { repeats: number; researches: number; tracks: string[] }): void {
  const { repeats, researches, tracks } = how;
  costs();
  if (researches > 0) afresh(researches);
  // The yardstick and the bounds are in the tables of new curves.
  for (const name of FAMILIES) compare(`Family ${name}`, family(name, 300, 1), { repeats, beside: false });
  if (file === undefined || file === '-') return;
  const text = readFileSync(file, 'utf8');
  for (const track of tracks) {
    const curves = readCurves(text, { track }).curves.filter(({ final }) => final >= LOWEST);
    compare(
      track,
      curves.filter(({ points }) => points.every(({ value }) => Number.isFinite(value))),
      { repeats, beside: true },
    );
  }
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { researches: { type: 'string', default: '100' } },
  });
  const [file, repeats = '5', ...named] = positionals;
  const tracks = named.length > 0 ? named : ['track_1_short', 'track_2_medium', 'track_3_optimization'];
  main(file, { repeats: atLeast(1, repeats), researches: atLeast(0, values.researches), tracks });
}

function atLeast(least: number, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`expected a whole number from ${least} on, came ${text}`);
}
