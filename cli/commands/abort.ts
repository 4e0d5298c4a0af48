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

/** Curves that stand in for the baseline runs of a research. */
const STAND_INS = 10;
/** Runs, all orders together, that take a while with some rules. */
const LONG_RUNS = 2000;
const EXAMPLE =
  'Example: npx perpetua export curves nano-lm > curves.jsonl && npx perpetua abort replay --curves curves.jsonl';

export function registerAbort(program: Command, io: Io): void {
  const abort = program.command('abort').description('Rules of early abort: what they would have done.');
  abort
    .command('replay')
    .description('Replays rules over finished curves as a simulated fleet, without running anything.')
    .requiredOption(
      '--curves <file>',
      'curves, one JSON object a line (track, group, run, steps, val, train); - reads them from the standard input',
    )
    .option(
      '--known <file>',
      'curves of an earlier research, of the same form: the rule begins with the last 200 of those that came to their end',
    )
    .option(
      '--rule <names...>',
      `rules to replay: ${ABORT_RULES.join(', ')}, or one with its settings, such as '{name: asha, eta: 4}' (default: all)`,
      eachRule,
    )
    .addOption(new Option('--incumbent <kind>', 'what runs have to beat').choices(INCUMBENTS).default('running'))
    .addOption(
      new Option('--direction <way>', 'of the metric (default: what the file says, else minimize)').choices([
        'minimize',
        'maximize',
      ]),
    )
    .addOption(
      new Option(
        '--curve-direction <way>',
        'of what is monitored (default: what the file says, else of the metric; of another quantity, the way in which most curves go, if that is to be maximized)',
      ).choices(['minimize', 'maximize']),
    )
    .option('--slots <n>', 'runs at once', whole(1, 1000), 1)
    .option('--repeats <n>', 'orders: the one of the file, then shuffles', whole(1, 10_000), 20)
    .option('--seed <n>', 'of shuffles, lots and bounds', whole(0, 2 ** 31), 1)
    .option('--track <name>', 'only the curves of this track')
    .option('--burn-in <share>', 'share of the budget before which nothing is stopped (default: 0.1)', number(0, 0.999))
    .option('--cadence <share>', 'share of the budget from look to look (default: 0.05)', number(0.005, 0.999))
    .option(
      '--error-target <share>',
      'of would-be incumbents that may be stopped (default: 0.02)',
      number(0.0001, 1 / 15),
    )
    .option(
      '--audit-first <n>',
      'would-be aborts that all run on to the end; auto: 3 to 5, by the number of curves',
      (text) => (text === BY_PLAN ? BY_PLAN : whole(0, MOST_AUDITS)(text)),
      BY_PLAN,
    )
    .option('--audit-share <share>', 'share of them after that', share, AUDIT_SHARE)
    .option('--json', 'one JSON object')
    .addHelpText('after', `\n${EXAMPLE}`)
    .showHelpAfterError(EXAMPLE)
    .action(async (options: Options) => replayCurves(io, options));
}

async function replayCurves(io: Io, options: Options): Promise<void> {
  io.exitOnInterrupt?.();
  const read = await loadCurves(options.curves, options.track === undefined ? {} : { track: options.track });
  const { curves, tracks } = read;
  tellOfFile(io, options, read);
  if (options.track !== undefined && !tracks.includes(options.track))
    throw refused(
      `Expected a track of ${options.curves} (${tracks.join(', ') || 'it has none'}), came ${options.track}.`,
    );
  if (curves.length < 2)
    throw refused(
      `Expected at least 2 whole curves in ${options.curves}, came ${curves.length}; export them again once more runs have ended.`,
    );
  const audit = planAudit({ first: options.auditFirst, share: options.auditShare }, curves.length);
  const { incumbent, slots, repeats, seed } = options;
  const { direction, curveDirection } = directionsOf(io, options, read);
  const { burnIn, cadence, errorTarget } = options;
  const config = {
    ...DEFAULT_ABORT,
    ...(burnIn === undefined ? {} : { burnIn }),
    ...(cadence === undefined ? {} : { cadence }),
    ...(errorTarget === undefined ? {} : { errorTarget }),
  };
  const known = options.known === undefined ? [] : await knownOf(io, options, { direction, curveDirection });
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
 * The curves that a research would begin with. Those that are replayed stand in for its baseline runs: a file has none of
 * these, and what lies outside for them would be dropped.
 */
async function knownOf(
  io: Io,
  { known: file, curves: own, track }: Options,
  way: CurveDirections,
): Promise<FinishedCurve[]> {
  const of = track === undefined ? {} : { track };
  const known = (await loadCurves(file ?? '', of)).curves.slice(-MOST_CARRIED);
  const baseline = (await loadCurves(own, of)).curves.slice(0, STAND_INS);
  const why = whyDropped(known, { baseline, config: { ...DEFAULT_ABORT, ...way } });
  if (why !== null) printNote(io, `the curves of ${file} are left out, as a research would drop them: ${why}`);
  return why === null ? known : [];
}

function tellOfFile(io: Io, { track, curves }: Options, { skipped, tracks }: Curves): void {
  const first = skipped[0];
  if (first)
    printNote(io, `left out: ${plural(skipped.length, 'curve')}; the first is line ${first.line}: ${first.reason}`);
  const stopped = skipped.filter(({ reason }) => reason === STOPPED).length;
  if (stopped > 0)
    printNote(
      io,
      `${plural(stopped, 'run')} of the file ${stopped === 1 ? 'was' : 'were'} stopped early: what is replayed was let live, and says little of what a rule saves`,
    );
  if (track === undefined && tracks.length > 1)
    printNote(
      io,
      `${curves} has ${tracks.length} tracks (${oneLine(tracks.join(', '))}), replayed as one; --track picks one`,
    );
}

/** Which values are better: what was asked for, else what the file says, else the way in which most curves go. */
function directionsOf(io: Io, options: Options, { curves, directions: ways }: Curves): CurveDirections {
  const [said] = ways;
  if (ways.length > 1 && options.direction === undefined)
    throw refused(
      `Expected curves of one direction in ${options.curves}, came metrics to minimize and to maximize, or so monitored: ` +
        '--track picks one track, or give --direction and --curve-direction.',
    );
  const direction = options.direction ?? said?.direction ?? 'minimize';
  if (said && direction !== said.direction)
    printNote(io, `${options.curves} says that its metric is to ${said.direction}, --direction says ${direction}`);
  const asSaid = direction === said?.direction && ways.length === 1 ? said.curveDirection : undefined;
  const curveDirection = options.curveDirection ?? asSaid ?? wayOf(curves, direction);
  if (options.curveDirection === undefined && asSaid === undefined && curveDirection !== direction)
    printNote(io, `curves are read as values to ${curveDirection}; --curve-direction says otherwise`);
  if (mostWorsen(curves, curveDirection)) {
    const flag = options.curveDirection === undefined ? '--direction' : '--curve-direction';
    printNote(io, `most curves end worse than they begin if they are to ${curveDirection}: is ${flag} right?`);
  }
  if (isMisleading(curves, { ...DEFAULT_ABORT, direction, curveDirection }))
    printNote(
      io,
      `runs whose curves look better end worse, so that matched-time stops nothing: are --direction (${direction}) and --curve-direction (${curveDirection}) right?`,
    );
  return { direction, curveDirection };
}

/** Curves that end at the metric are of it; of others those that mostly fall are of a loss, and the rest of a score. */
function wayOf(curves: readonly ReplayCurve[], direction: Direction): Direction {
  const others = curves.filter(({ points, final }) => points.at(-1)?.value !== final);
  if (direction === 'minimize' || others.length === 0) return direction;
  return mostWorsen(others, 'maximize') ? 'minimize' : 'maximize';
}

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

const whole = (min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
};

function share(text: string): number {
  const value = read(text);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a share from 0 to 1.');
}

const number = (min: number, max: number) => (text: string) => {
  const value = read(text);
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Expected a share from ${min} to ${Number(max.toFixed(3))}.`);
};

const read = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
