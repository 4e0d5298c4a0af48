import { plural } from '../../domain/text/plural.ts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { refused } from '../errors.ts';
import { printNote, printLine, printJson, type Io } from '../io.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { type AbortChoice, ABORT_RULES } from '../../domain/abort/table.ts';
import { choiceText } from '../../domain/method/axis.ts';
import { INCUMBENTS, type IncumbentKind, type ReplayCurve } from '../../domain/abort/replay/types.ts';
import { AUDIT_SHARE, planAudit, BY_PLAN, type AuditSettings } from '../../domain/abort/audit/audit-plan.ts';
import { DEFAULT_ABORT, type Direction, type FinishedCurve } from '../../domain/abort/types.ts';
import { MOST_AUDITS } from '../../domain/search/schema.ts';
import { wholeFrom } from '../arguments/parse-whole.ts';
import { parseAbortRule } from '../parse-abort-rule.ts';
import { STOPPED, type Curves, type CurveDirections } from '../../tasks/curves/read-curves.ts';
import { loadCurves } from '../../tasks/curves/load-curves.ts';
import { isMisleading, replay } from '../../domain/abort/replay/replay.ts';
import { renderReplay } from '../render/replay.ts';
import { MOST_CARRIED } from '../../domain/abort/carried/carried-curve.ts';
import { whyDropped } from '../../domain/abort/carried/why-dropped.ts';

interface Options {
  curves: string;
  known?: string;
  rule?: AbortChoice[];
  incumbent: IncumbentKind;
  direction?: Direction;
  curveDirection?: Direction;
  slots: number;
  repeats: number;
  seed: number;
  track?: string;
  burnIn?: number;
  cadence?: number;
  errorTarget?: number;
  auditFirst: AuditSettings['first'];
  auditShare: number;
  json?: boolean;
}

/** Number of curves that stand in for the baseline runs of a research. */
const STAND_INS = 10;
/** Number of replayed runs, over all orders, above which each rule is announced: some rules take a while. */
const LONG_RUNS = 2000;
const EXAMPLE =
  'Example: npx perpetua export curves nano-lm > curves.jsonl && npx perpetua abort replay --curves curves.jsonl';

export function registerAbort(program: Command, io: Io): void {
  const abort = program.command('abort').description('Replay rules of early abort over finished curves.');
  abort
    .command('replay')
    .description('Replays rules over finished curves as a simulated fleet, without running anything.')
    .requiredOption(
      '--curves <file>',
      'curves, one JSON object a line (track, group, run, steps, val, train); - reads them from the standard input',
    )
    .option(
      '--known <file>',
      'curves of an earlier research, in the same form; the rule begins with the last 200 that ran to their end',
    )
    .option(
      '--rule <names...>',
      `rules to replay: ${ABORT_RULES.join(', ')}, ` +
        "or one with its settings, such as '{name: asha, eta: 4}' (default: all)",
      eachRule,
    )
    .addOption(new Option('--incumbent <kind>', 'value that runs have to beat').choices(INCUMBENTS).default('running'))
    .addOption(
      new Option('--direction <way>', "direction of the metric (default: the file's, else minimize)").choices([
        'minimize',
        'maximize',
      ]),
    )
    .addOption(
      new Option(
        '--curve-direction <way>',
        "direction of the curves (default: the file's, else the metric's; " +
          'for a metric to maximize whose curves show another quantity: minimize if most of them fall)',
      ).choices(['minimize', 'maximize']),
    )
    .option('--slots <n>', 'runs at once', wholeFrom(1, 1000), 1)
    .option('--repeats <n>', "orders of the runs: the file's, then shuffled ones", wholeFrom(1, 10_000), 20)
    .option('--seed <n>', 'seed of shuffled orders, audits and limits', wholeFrom(0, 2 ** 31), 1)
    .option('--track <name>', 'only the curves of this track')
    .option('--burn-in <share>', 'share of the budget before which nothing is stopped (default: 0.1)', number(0, 0.999))
    .option('--cadence <share>', 'share of the budget between two looks (default: 0.05)', number(0.005, 0.999))
    .option(
      '--error-target <share>',
      'share of would-be incumbents that may be stopped (default: 0.02)',
      number(0.0001, 1 / 15),
    )
    .option(
      '--audit-first <n>',
      'the first n would-be aborts all run on to their end; auto: 3 to 5, by the number of curves',
      (text) => (text === BY_PLAN ? BY_PLAN : wholeFrom(0, MOST_AUDITS)(text)),
      BY_PLAN,
    )
    .option('--audit-share <share>', 'share of the later would-be aborts that run on', share, AUDIT_SHARE)
    .option('--json', 'one JSON object')
    .addHelpText('after', `\n${EXAMPLE}`)
    .showHelpAfterError(EXAMPLE)
    .action(async (options: Options) => replayCurves(io, options));
}

async function replayCurves(io: Io, options: Options): Promise<void> {
  io.exitOnInterrupt?.();
  const file = await loadCurves(options.curves, options.track === undefined ? {} : { track: options.track });
  const { curves, tracks } = file;
  noteFile(io, options, file);
  if (options.track !== undefined && !tracks.includes(options.track))
    throw refused(
      `Expected a track of ${options.curves} (${tracks.join(', ') || 'it has none'}), got ${options.track}.`,
    );
  if (curves.length < 2)
    throw refused(
      `Expected at least 2 whole curves in ${options.curves}, got ${curves.length}; ` +
        'export again when further runs have ended, or let the program print progress more often.',
    );
  const audit = planAudit({ first: options.auditFirst, share: options.auditShare }, curves.length);
  const { incumbent, slots, repeats, seed } = options;
  const { direction, curveDirection } = chooseDirections(io, options, file);
  const config = {
    ...DEFAULT_ABORT,
    burnIn: options.burnIn ?? DEFAULT_ABORT.burnIn,
    cadence: options.cadence ?? DEFAULT_ABORT.cadence,
    errorTarget: options.errorTarget ?? DEFAULT_ABORT.errorTarget,
  };
  const known = options.known === undefined ? [] : await loadKnown(io, options, { direction, curveDirection });
  const plan = { ...config, incumbent, direction, curveDirection, slots, repeats, seed, audit, known };
  const isLong = curves.length * repeats > LONG_RUNS;
  const rules = new Map((options.rule ?? ABORT_RULES).map((rule) => [choiceText(rule), rule]));
  const reports = [...rules].map(([text, rule]) => {
    if (isLong) printNote(io, `replaying ${plural(curves.length * repeats, 'run')} with ${text} …`);
    return replay(curves, { ...plan, rule });
  });
  if (!options.json) {
    for (const line of renderReplay(reports, curves.length)) printLine(io, line);
    return;
  }
  const shown = reports.map((report) => ({
    rule: report.rule,
    settings: report.settings,
    runs: report.runs,
    aborted: report.aborted,
    wouldBeIncumbents: report.wouldBeIncumbents,
    falseAborts: report.falseAborts,
    falseAbortLower95: report.falseAbortLower95,
    falseAbortUpper95: report.falseAbortUpper95,
    savedShare: report.savedShare,
    gain: report.gain,
    regret: report.regret,
  }));
  printJson(io, { curves: curves.length, rules: shown });
}

/**
 * Loads the curves of --known, which a research would carry over. Returns none if a research would drop them.
 * The first replayed curves stand in for the baseline runs of that check: a file of curves has no baseline runs.
 */
async function loadKnown(
  io: Io,
  { known: knownFile, curves: replayedFile, track }: Options,
  directions: CurveDirections,
): Promise<FinishedCurve[]> {
  const filter = track === undefined ? {} : { track };
  const known = (await loadCurves(knownFile ?? '', filter)).curves.slice(-MOST_CARRIED);
  const baseline = (await loadCurves(replayedFile, filter)).curves.slice(0, STAND_INS);
  const why = whyDropped(known, { baseline, config: { ...DEFAULT_ABORT, ...directions } });
  if (why !== null) printNote(io, `the curves of ${knownFile} are left out, as a research would drop them: ${why}`);
  return why === null ? known : [];
}

/** Prints notes on a file of curves: lines that were left out, runs that were stopped early, several tracks. */
function noteFile(io: Io, { track, curves }: Options, { skipped, tracks }: Curves): void {
  const first = skipped[0];
  if (first && skipped.length === 1) printNote(io, `line ${first.line} is left out: ${first.reason}`);
  if (first && skipped.length > 1)
    printNote(io, `${skipped.length} lines are left out; the first of them, line ${first.line}: ${first.reason}`);
  const stopped = skipped.filter(({ reason }) => reason === STOPPED).length;
  if (stopped > 0)
    printNote(
      io,
      `${plural(stopped, 'run')} of the file ${stopped === 1 ? 'was' : 'were'} stopped early and left out: ` +
        'the other runs survived a rule, so they show little of what a rule saves',
    );
  if (track === undefined && tracks.length > 1)
    printNote(
      io,
      `${curves} has ${tracks.length} tracks (${oneLine(tracks.join(', '))}), replayed as one; --track picks one`,
    );
}

/** Chooses the directions of metric and curves: from the options, else from the file, else as most curves go. */
function chooseDirections(io: Io, options: Options, { curves, directions }: Curves): CurveDirections {
  const [stated] = directions;
  if (directions.length > 1 && options.direction === undefined)
    throw refused(
      `Expected metrics and curves of one direction in ${options.curves}, got several directions. ` +
        'Pick one track with --track, or give --direction and --curve-direction.',
    );
  const direction = options.direction ?? stated?.direction ?? 'minimize';
  if (stated && direction !== stated.direction)
    printNote(
      io,
      `${options.curves} says that its metric is to ${stated.direction}; --direction ${direction} overrides that`,
    );
  const statedForCurve = direction === stated?.direction && directions.length === 1 ? stated.curveDirection : undefined;
  const curveDirection = options.curveDirection ?? statedForCurve ?? guessCurveDirection(curves, direction);
  if (options.curveDirection === undefined && statedForCurve === undefined && curveDirection !== direction)
    printNote(io, `curves are read as values to ${curveDirection}; --curve-direction changes that`);
  if (mostWorsen(curves, curveDirection)) {
    const flag = options.curveDirection === undefined ? '--direction' : '--curve-direction';
    printNote(io, `most curves end worse than they begin, read as values to ${curveDirection}: is ${flag} right?`);
  }
  if (isMisleading(curves, { ...DEFAULT_ABORT, direction, curveDirection }))
    printNote(
      io,
      'runs whose curves look better end worse, so matched-time stops nothing: ' +
        `are --direction (${direction}) and --curve-direction (${curveDirection}) right?`,
    );
  return { direction, curveDirection };
}

/**
 * Guesses the direction of curves. A curve that ends at its metric's value is a curve of the metric.
 * The other curves are of a loss if most of them fall, else of a score.
 */
function guessCurveDirection(curves: readonly ReplayCurve[], direction: Direction): Direction {
  const others = curves.filter(({ points, final }) => points.at(-1)?.value !== final);
  if (direction === 'minimize' || others.length === 0) return direction;
  return mostWorsen(others, 'maximize') ? 'minimize' : 'maximize';
}

/** True if more than half of the curves end worse than they begin. */
function mostWorsen(curves: readonly ReplayCurve[], direction: Direction): boolean {
  const worse = curves.filter(({ points }) => {
    const rise = (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0);
    return direction === 'minimize' ? rise > 0 : rise < 0;
  });
  return 2 * worse.length > curves.length;
}

const eachRule = (text: string, before: readonly AbortChoice[] = []): AbortChoice[] => [
  ...before,
  parseAbortRule(text),
];

function share(text: string): number {
  const value = parseNumber(text);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a share from 0 to 1.');
}

const number = (min: number, max: number) => (text: string) => {
  const value = parseNumber(text);
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Expected a share from ${min} to ${Number(max.toFixed(3))}.`);
};

const parseNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
