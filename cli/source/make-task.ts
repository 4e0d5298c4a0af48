import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { splitSource, type SourceParts } from '../../domain/source/split-source.ts';
import { buildTask, formatOfMetric } from '../../domain/source/build-task.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { globMatcher } from '../../tasks/folder/globs.ts';
import { loadTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { taskNameFrom } from '../../domain/task/task-name.ts';
import { writeWorkspace } from '../task/write-workspace.ts';
import { parseSourceOptions, type SourceRequest, type SourceOptions } from './options.ts';
import { readSource, type Source } from './read-source.ts';
import { chooseKnobs } from './choose-knobs.ts';
import { scoreOnce } from './score-once.ts';
import { summarizePaths, describeMadeTask, type MadeTask } from './describe-made-task.ts';
import { runProgramOnce, type ProgramRun } from './run-program-once.ts';
import { toolEnv } from '../../config/child-env.ts';
import { EVALUATOR, evaluatorText } from '../../domain/source/evaluator-text.ts';
import type { TaskInput } from '../../domain/task/task.ts';

/** Largest artefact that is taken without --artefact, in bytes. */
const LARGEST = 16 * 1024 * 1024;
/** Most artefacts that are taken without --artefact. */
const MOST = 20;

/** Paths of the files that a run left for the evaluation, without the files that a proposal changes. */
function artefactsOf(written: ProgramRun['writtenFiles'], mutable: readonly string[]): string[] {
  const fitting = written.filter(({ path, content }) => !mutable.includes(path) && content.length <= LARGEST);
  const paths = fitting.map(({ path }) => path);
  if (paths.length === 0)
    throw refused(
      'The run left no files for the evaluation (of at most 16 MiB each). ' +
        'Name them with --artefact PATH, or leave out --eval.',
    );
  if (paths.length > MOST)
    throw refused(
      `The run left ${paths.length} files, expected at most ${MOST} for the evaluation: ${summarizePaths(paths)}. ` +
        'Name those that the evaluation needs with --artefact PATH.',
    );
  return paths;
}

/**
 * Makes a task folder of a program's folder, by default `tasks/NAME` of the current folder, and prints the role of
 * each file. If the budget or the artefacts are not given, runs the unmodified program once to find them. Returns the
 * folder's path. Refuses a program that no task can be made of.
 */
export async function makeTask(io: Io, options: SourceOptions): Promise<string> {
  const request = parseSourceOptions(options);
  const source = await readSource(request.source);
  const name = request.name ?? taskNameFrom(basename(source.root));
  const folder = resolve(request.out ?? join('tasks', name));
  if (existsSync(folder))
    throw refused(
      `Expected ${folder} not to exist yet. ` +
        `To start the task in it: npx perpetua start ${shellWord(folder)}\n` +
        'To make another task, choose another --name.',
    );
  const parts = requireParts(source, request);
  const knobs = chooseKnobs(request.knobs, textsOf(source, parts));
  const files = source.files.filter(({ path }) => parts.workspace.includes(path));
  const { tried, workspace, leftovers } = await tryWithoutLeftovers(io, request, { files, mutable: parts.mutable });
  const artefacts =
    request.evaluate === null ? null : (request.artefacts ?? artefactsOf(tried?.writtenFiles ?? [], parts.mutable));
  const seconds = request.seconds ?? Math.max(1, Math.ceil(tried?.seconds ?? 1));
  const { run, metric } = request;
  const mutable = request.mutable ?? parts.mutable;
  const format = formatOfMetric(tried?.stdout ?? '', metric.name);
  const task = buildTask({
    name,
    run,
    metric,
    mutable,
    seconds,
    format,
    artefacts,
    knobs: knobs.found.map(({ knob }) => knob),
  });
  const made: MadeTask = { request, source, parts, folder, tried, artefacts, task, knobs, leftovers };
  await writeWorkspace(folder, taskFiles(made, workspace));
  for (const line of describeMadeTask(made)) printNote(io, line);
  const loaded = await loadTask(folder);
  if (tried) await scoreOnce(io, { loaded, tried, folder });
  return folder;
}

/** Files of the made task's folder: task.yaml, the workspace, and the evaluator's folder if there is an evaluator. */
function taskFiles({ request, source, artefacts, task }: MadeTask, workspace: WorkspaceFile[]): WorkspaceFile[] {
  const files = [yamlFile(task, request.source), ...below('workspace', workspace)];
  if (request.evaluate === null || artefacts === null) return files;
  const text = evaluatorText({ command: request.evaluate, metric: request.metric.name, artefacts });
  // An artefact of a run must not find a file of the same name in the evaluator's folder.
  const evaluatorFiles = source.files.filter(({ path }) => !artefacts.includes(path));
  return [
    ...files,
    ...below('evaluator', evaluatorFiles),
    { path: `evaluator/${EVALUATOR}`, content: Buffer.from(text), executable: false },
  ];
}

const below = (folder: string, files: readonly WorkspaceFile[]): WorkspaceFile[] =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));

function yamlFile(task: TaskInput, source: string): WorkspaceFile {
  const head = `# Made by perpetua start --source ${shellWord(source)}. Every key: docs/guides/tasks.md\n`;
  return { path: 'task.yaml', content: Buffer.from(head + stringify(task)), executable: false };
}

function requireParts(source: Source, request: SourceRequest): SourceParts {
  const { run, evaluate, evalFiles, mutable } = request;
  const { root } = source;
  const any = (globs: readonly string[]) => (path: string) => globs.some((glob) => globMatcher(glob)(path));
  const paths = source.files.map(({ path }) => path);
  const isMutable = mutable === null ? null : any(mutable);
  const parts = splitSource(paths, { run, evaluate, isHeld: any(evalFiles), isMutable });
  if (parts.mutable.length > 0) return parts;
  if (mutable !== null)
    throw refused(`--mutable: no file of ${root} matches ${mutable.join(' or ')}. Correct the glob.`);
  const besides = evaluate === null ? '' : ' besides those of the evaluation';
  throw refused(
    `--run: ${JSON.stringify(run)} names no file of ${root}${besides}, ` +
      'so it is unknown which files a proposal may change. Correct --run, or name the files: --mutable GLOB',
  );
}

/**
 * Runs the program once, and removes outputs of an earlier run from its workspace: a later run that overwrites an
 * immutable file would be refused. If there were such outputs, runs the program once more without them.
 */
async function tryWithoutLeftovers(
  io: Io,
  request: SourceRequest,
  { files, mutable }: { files: WorkspaceFile[]; mutable: string[] },
): Promise<{ tried: ProgramRun | null; workspace: WorkspaceFile[]; leftovers: string[] }> {
  const first = await runIfUnknown(io, request, files);
  const written = [...(first?.writtenFiles ?? []).map(({ path }) => path), ...(request.artefacts ?? [])];
  const leftovers = files.map(({ path }) => path).filter((path) => written.includes(path) && !mutable.includes(path));
  const workspace = files.filter(({ path }) => !leftovers.includes(path));
  if (!first || leftovers.length === 0) return { tried: first, workspace, leftovers };
  printNote(io, `running it once more, without the files of an earlier run: ${summarizePaths(leftovers)}`);
  return { tried: await runIfUnknown(io, request, workspace), workspace, leftovers };
}

/** Runs the unmodified program once; null if the budget and the artefacts are given. */
async function runIfUnknown(io: Io, request: SourceRequest, files: WorkspaceFile[]): Promise<ProgramRun | null> {
  if (request.seconds !== null && (request.evaluate === null || request.artefacts !== null)) return null;
  printNote(io, `running it once, unmodified, to measure its time and to find its output files: ${request.run}`);
  const env = toolEnv(configOf(io));
  return runProgramOnce({ command: request.run, files, env }, io.signal ?? new AbortController().signal);
}

const textsOf = ({ files }: Source, { mutable }: SourceParts): Record<string, string> =>
  Object.fromEntries(
    files.filter(({ path }) => mutable.includes(path)).map(({ path, content }) => [path, content.toString('utf8')]),
  );
