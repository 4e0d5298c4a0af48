/**
 * Compares the rules of early abort with a plain yardstick, on families whose truth is known and on real curves:
 *   npx tsx bench/abort.ts CURVES.jsonl 4       (everything: costs, families, families that mislead, real curves)
 *   npx tsx bench/abort.ts --researches 0 CURVES.jsonl 4       (costs and real curves)
 *   npx tsx bench/abort.ts                      (costs and families)
 *   npx tsx bench/abort.ts --first-test 20      (each half of the first test of matched-time alone)
 * Tables go to stdout, progress to stderr. Options:
 *   --researches N (300)   draws of each family; 0 leaves the families out
 *   --others N (20)        draws on which the rules other than the default are replayed, too
 *   --family NAME          only this family; may be repeated (all)
 *   --rule NAME            only this rule; may be repeated (all)
 * Arguments: the file of curves (`-`: none), the number of orders of real curves (4; the default rule has ten times as
 * many), then the tracks (those of the shared curves).
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { plural } from '../domain/text/plural.ts';
import type { ReplayCurve } from '../domain/abort/replay/types.ts';
import { loadCurves } from '../tasks/curves/load-curves.ts';
import { CurvesError } from '../tasks/curves/read-curves.ts';
import { compareOnFamilies } from './abort/compare-on-families.ts';
import { compareOnCurves } from './abort/compare-on-curves.ts';
import { costs } from './abort/costs.ts';
import { compareFirstTests } from './abort/first-test.ts';
import { planOf, type Plan } from './abort/plan.ts';
import { progress } from './abort/progress.ts';
import { UsageError } from './abort/usage-error.ts';

const USAGE =
  'Usage: npx tsx bench/abort.ts [--researches N=300] [--others N=20] [--family NAME]… [--rule NAME]… ' +
  '[CURVES.jsonl|-] [orders=4] [track…]';
/** Finals below this measure another quantity than the rest of the shared curves, so their curves are left out. */
const LOWEST = 0.5;

/** Prints all tables. Every figure except the costs is the same in each run. */
export async function main({ file, researches, others, families, rules, repeats, tracks }: Plan): Promise<void> {
  // The curves are read first, so that a wrong file fails at once, not after minutes.
  const real = file === null ? [] : await tracksOf(file, tracks);
  costs();
  if (researches > 0) compareOnFamilies(researches, { families, others, rules });
  for (const { track, curves } of real) compareOnCurves(track, curves, { repeats, rules });
  progress('done');
}

/** Reads the comparable curves of each track. Throws UsageError for an unknown track or fewer than 2 curves. */
async function tracksOf(file: string, tracks: readonly string[]): Promise<{ track: string; curves: ReplayCurve[] }[]> {
  const read = [];
  for (const track of tracks) {
    const { curves, tracks: all } = await loadCurves(file, { track });
    if (!all.includes(track))
      throw new UsageError(
        `${file}: expected the track ${track}, got ${all.join(', ')}; name those behind the repeats`,
      );
    const whole = curves.filter(
      ({ points, final }) => final >= LOWEST && points.every(({ value }) => Number.isFinite(value)),
    );
    if (whole.length < 2)
      throw new UsageError(
        `${file}: expected at least 2 whole curves of ${track} with finals from ${LOWEST} on, ` +
          `got ${plural(whole.length, 'curve')}`,
      );
    read.push({ track, curves: whole });
  }
  return read;
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  try {
    const plan = planOf(process.argv.slice(2));
    if (plan.firstTest !== null) compareFirstTests(plan.firstTest);
    else await main(plan);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CurvesError)) throw error;
    console.error(error.message);
    if (error instanceof UsageError) console.error(USAGE);
    process.exitCode = 2;
  }
}
