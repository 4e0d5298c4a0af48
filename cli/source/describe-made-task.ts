import type { FoundKnobs } from '../../domain/source/find-knobs.ts';
import { summarizePaths } from '../../domain/text/summarize-paths.ts';
import type { TaskInput } from '../../domain/task/task.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { columns } from '../render/text/text.ts';
import { describeKnobs } from './knobs/choose-knobs.ts';
import type { Observation } from './observe-program.ts';
import type { SourceRequest } from './options.ts';
import type { Source } from './read-source.ts';

/** A task that was made of a program. */
export interface MadeTask {
  request: SourceRequest;
  source: Source;
  /** Paths of the files that a proposal may change. */
  mutable: string[];
  folder: string;
  observation: Observation;
  artefacts: string[] | null;
  task: TaskInput;
  knobs: FoundKnobs;
}

/** Describes a task that was made of a program: its folder, and the role of each part of the program. */
export function describeMadeTask(made: MadeTask): string[] {
  const { request, source, mutable, folder, observation, task, knobs } = made;
  const { tried, roles, leftovers } = observation;
  const took = tried ? `, one run took ${formatSeconds(tried.seconds)}` : '';
  const leftOut = (paths: string[], why: string): string[][] =>
    paths.length === 0 ? [] : [['left out', `${summarizePaths(paths)}: ${why}`]];
  return columns([
    ['wrote', folder],
    ['may change', summarizePaths(mutable)],
    ['run', `${request.run}, budget ${formatSeconds(task.run.budget.seconds)}${took}`],
    ...programsText(task),
    ['runs read', summarizePaths(roles.workspace)],
    ['score', scoreText(made)],
    ...secretsText(made),
    ...describeKnobs(knobs),
    ...leftOut(roles.unopened, 'neither command opened it; for files that a run may need: --run-files GLOB'),
    ...leftOut(leftovers, 'a run writes it'),
    ...leftOut(source.secrets, 'it may hold keys or passwords'),
    ...leftOut(source.links, 'a task holds no symbolic links'),
  ]).map((line) => `  ${line}`);
}

/** Rows about the programs that runs get besides those of the system. */
function programsText({ environment, run: { path = [], readable = [], env = {} } }: TaskInput): string[][] {
  const rows: string[][] = [];
  if (environment !== undefined)
    rows.push(['python', `${environment.python}, with the packages of ${environment.lock} (the key environment)`]);
  if (path.length > 0) rows.push(['programs', `of ${path.join(', ')} (the key run.path)`]);
  if (readable.length > 0) rows.push(['packages', `${readable.join(', ')}, too (the key run.readable)`]);
  if (env.PYTHONUSERBASE !== undefined)
    rows.push(['', 'as installed with pip install --user (PYTHONUSERBASE in run.env)']);
  if (env.PYTHONPATH !== undefined) rows.push(['imports', `first from ${env.PYTHONPATH} (PYTHONPATH in run.env)`]);
  return rows;
}

function scoreText({ request: { evaluate, metric }, observation, artefacts }: MadeTask): string {
  if (evaluate === null)
    return (
      `${metric.name}, as the run prints it. ` +
      'It is untrusted, since a proposal can print any score. To score the files of a run instead: --eval'
    );
  const hidden = summarizePaths(observation.roles.evaluatorOnly);
  const files = hidden === '' ? '' : `; runs cannot read ${hidden}`;
  return `${metric.name}, by ${evaluate} on ${summarizePaths(artefacts ?? [])}${files}`;
}

/** Rows about answers that runs can read, or may be able to read. */
function secretsText({ mutable, observation: { roles, unseen } }: MadeTask): string[][] {
  const rows: string[][] = [];
  const changed = roles.shared.filter((path) => mutable.includes(path));
  const shared = roles.shared.filter((path) => !mutable.includes(path));
  if (changed.length > 0)
    rows.push([
      'unmodified',
      `the evaluation uses its own, unmodified copy of ${summarizePaths(changed)}: what a proposal changes there ` +
        'does not change the evaluation. Let the run leave predictions, or move what both use to another file',
    ]);
  if (shared.length > 0)
    rows.push([
      'shared',
      `${summarizePaths(shared)}: candidates can read it, and the evaluation uses it, too. ` +
        'If it holds answers, move them to a file of their own, or hide it: --eval-files GLOB',
    ]);
  if (unseen !== null)
    rows.push(['unknown', `which files the evaluation opens: ${unseen}. Files under "runs read" may hold answers`]);
  return rows;
}
