import type { Command } from 'commander';
import type { Target } from '../../domain/attack/attack.ts';
import type { Planned } from '../../domain/attack/plan.ts';
import type { Row } from '../../domain/attack/report.ts';
import type { Candidate } from '../attack/run-attacks.ts';
import { CliError, refused } from '../errors.ts';
import { note, say, sayJson, type Io } from '../io.ts';
import type { Located } from '../task/locate-task.ts';

interface Options {
  only?: string[];
  heavy?: boolean;
  json?: boolean;
}

export function registerAttack(program: Command, io: Io): void {
  program
    .command('attack <task>')
    .description('Try hostile candidates on a task, for real: does its evaluator hold? Exit code 0 only if all held.')
    .option('--only <name>', 'only this attack; may be repeated', (name: string, before: string[] = []) => [
      ...before,
      name,
    ])
    .option('--heavy', 'also those that take much memory, disk or time')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nHow to write an evaluator that holds: docs/guides/evaluators.md')
    .action((task: string, options: Options) => attack(io, task, options));
}

async function attack(io: Io, nameOrPath: string, options: Options): Promise<void> {
  const { locateTask } = await import('../task/locate-task.ts');
  const located = await locateTask(io, nameOrPath);
  const { loaded } = located;
  const { plan, target } = await planned(io, located, options);
  const { costsOf } = await import('../attack/costs.ts');
  const candidates = candidatesOf(plan);
  if (candidates.length === 0)
    return tell(io, { options, rows: await rowsOf(plan), result: { task: loaded.task.name } });
  note(io, costsOf(plan, loaded.task));
  if (loaded.task.run.sandbox === 'none')
    note(io, '! run.sandbox is none: these attacks run as your own user, and reach what it may');
  const [{ checkId }, { runAttacks }, { progressOf }, { leftBehind }] = await Promise.all([
    import('../check/check-id.ts'),
    import('../attack/run-attacks.ts'),
    import('../attack/progress.ts'),
    import('../attack/left-behind.ts'),
  ]);
  const researchId = checkId(loaded.task.name, Date.now(), 'attack');
  const tried = await runAttacks(io, {
    ...{ task: located.task, researchId, candidates },
    onEnded: progressOf(io, { total: candidates.length }),
  });
  const { configOf } = await import('../context.ts');
  const left = await leftBehind((await configOf(io)).home, target.mark);
  const seen = tried.filter(({ kind }) => kind === 'injected');
  const baseline = tried.flatMap(({ kind, value }) => (kind === 'baseline' && value !== null ? [value] : []));
  const { reportOf } = await import('../../domain/attack/report.ts');
  const rows = reportOf(plan, {
    metric: loaded.task.metric,
    baseline,
    tried: seen.map((one) => ({ ...one, attack: one.hypothesis ?? '', logTail: one.logTail ?? '' })),
  });
  const slotSeconds = tried.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  const result = { task: loaded.task.name, hash: loaded.hash, workflowId: researchId, baseline, slotSeconds, left };
  await tell(io, { options, rows, result });
}

/** What each attack puts into the mutable files, and what it is told. */
async function planned(
  io: Io,
  { loaded, folder }: Located,
  { only = [], heavy = false }: Options,
): Promise<{ plan: Planned[]; target: Target }> {
  const [{ ATTACKS }, { chosenOf }, { planOf }, { targetOf }, { mutableTexts }] = await Promise.all([
    import('../../domain/attack/table.ts'),
    import('../../domain/attack/report.ts'),
    import('../../domain/attack/plan.ts'),
    import('../attack/target.ts'),
    import('../../tasks/mutable-texts.ts'),
  ]);
  const { chosen, unknown } = chosenOf(ATTACKS, only);
  if (unknown.length > 0)
    throw refused(
      `Expected --only to be one of ${ATTACKS.map(({ name }) => name).join(', ')}; came ${unknown.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  const files = mutableTexts(loaded.workspace, loaded.mutablePaths).texts;
  const target = await targetOf(io, { loaded, folder });
  return { plan: planOf(chosen, { target, files, heavy }), target };
}

const candidatesOf = (plan: readonly Planned[]): Candidate[] =>
  plan.flatMap((one) => (one.fits ? one.candidates.map((files) => ({ attack: one.attack.name, files })) : []));

async function rowsOf(plan: readonly Planned[]): Promise<Row[]> {
  const { reportOf } = await import('../../domain/attack/report.ts');
  return reportOf(plan, { metric: { name: '', direction: 'minimize', minDelta: 0 }, baseline: [], tried: [] });
}

interface Told {
  options: Options;
  rows: readonly Row[];
  result: { task: string; left?: readonly string[] };
}

async function tell(io: Io, { options, rows, result }: Told): Promise<void> {
  const { renderAttacks, tally } = await import('../render/attack.ts');
  const left = result.left ?? [];
  const hasHeld = left.length === 0 && rows.every(({ verdict }) => verdict === 'held' || verdict === 'not applicable');
  if (!options.json) {
    for (const line of renderAttacks(rows)) say(io, line);
    for (const what of left) say(io, `BROKEN: the attacks left ${what} behind`);
  } else if (hasHeld) sayJson(io, { ...result, attacks: rows });
  if (!hasHeld)
    throw new CliError('failed', `Expected every attack to hold: ${tally(rows)}.`, {
      result: { ...result, attacks: rows },
    });
}
