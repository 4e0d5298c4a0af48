import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { knobsIn } from '../../domain/source/split-source.ts';
import { summarizePaths } from '../../domain/source/summarize-paths.ts';
import { buildTask } from '../../domain/source/build-task.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { loadTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { taskNameFrom } from '../../domain/task/task-name.ts';
import { writeWorkspace } from '../task/write-workspace.ts';
import { parseSourceOptions, type SourceOptions } from './options.ts';
import { readSource, type Source } from './read-source.ts';
import { scoreOnce } from './score-once.ts';
import { describeMadeTask, type MadeTask } from './describe-made-task.ts';
import { observeProgram } from './observe-program.ts';
import { requireParts } from './require-parts.ts';
import type { ProgramRun } from './run-program-once.ts';
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

/** Folders in which the program may be copied and run, the preferred one first. */
const parentsOfCopies = (io: Io): string[] =>
  [tmpdir(), configOf(io).home, homedir(), '/var/tmp', '/dev/shm'].filter((folder) => existsSync(folder));

/**
 * Makes a task folder of a program's folder, by default `tasks/NAME` of the current folder, and prints the role of
 * each file. If the budget or the artefacts are not given, runs the unmodified program once to find them. Returns the
 * folder's path. Refuses a program that no task can be made of. `parents`: see `Program`.
 */
export async function makeTask(io: Io, options: SourceOptions, parents = parentsOfCopies(io)): Promise<string> {
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
  const artefactsIn = (written: ProgramRun['writtenFiles']): string[] | null =>
    request.evaluate === null ? null : (request.artefacts ?? artefactsOf(written, parts.mutable));
  const observation = await observeProgram(io, request, {
    source,
    parents,
    mutable: parts.mutable,
    onEnded: (written) => void artefactsIn(written),
  });
  const { tried, roles } = observation;
  const workspace = source.files.filter(({ path }) => roles.workspace.includes(path));
  const artefacts = artefactsIn(tried?.writtenFiles ?? []);
  const seconds = request.seconds ?? Math.max(1, Math.ceil(tried?.seconds ?? 1));
  const { run, metric } = request;
  const knobs = knobsIn(textsOf(source, parts.mutable));
  const task = buildTask({ name, run, metric, mutable: request.mutable ?? parts.mutable, seconds, artefacts, knobs });
  const made: MadeTask = { request, source, mutable: parts.mutable, folder, observation, artefacts, task };
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

const textsOf = ({ files }: Source, mutable: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    files.filter(({ path }) => mutable.includes(path)).map(({ path, content }) => [path, content.toString('utf8')]),
  );
