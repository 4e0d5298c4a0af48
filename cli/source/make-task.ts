import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { knobsIn, splitSource, type SourceParts } from '../../domain/source/split-source.ts';
import { buildTask } from '../../domain/source/build-task.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { globMatcher } from '../../tasks/folder/globs.ts';
import { loadTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import { refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { taskNameFrom } from '../task/copy-template.ts';
import { writeWorkspace } from '../task/write-workspace.ts';
import { parseSourceOptions, type SourceRequest, type SourceOptions } from './options.ts';
import { readSource, type Source } from './read-source.ts';
import { scoreOnce } from './score-once.ts';
import { summarizePaths, describeMadeTask, type MadeTask } from './describe-made-task.ts';
import { runProgramOnce, type ProgramRun } from './run-program-once.ts';
import { toolEnv } from '../../config/child-env.ts';
import { EVALUATOR, evaluatorText } from '../../domain/source/evaluator-text.ts';
import type { TaskInput } from '../../domain/task/task.ts';

/** As much as an artefact may have where nothing is said of it. */
const LARGEST = 16 * 1024 * 1024;
const MOST = 20;

/** Paths of what a run left for the evaluation, but for what a proposal changes itself. */
function artefactsOf(made: ProgramRun['writtenFiles'], mutable: readonly string[]): string[] {
  const fit = made.filter(({ path, content }) => !mutable.includes(path) && content.length <= LARGEST);
  const paths = fit.map(({ path }) => path);
  if (paths.length === 0)
    throw refused(
      'Expected the run to leave files for the evaluation, of at most 16 MiB each; it left none. Name them with --artefact PATH, or leave out --eval.',
    );
  if (paths.length > MOST)
    throw refused(
      `Expected the run to leave at most ${MOST} files for the evaluation, it left ${paths.length}: ${summarizePaths(paths)}. Name those that count with --artefact PATH.`,
    );
  return paths;
}

/**
 * Makes a task folder of a program's, `tasks/NAME` of the current folder where no other was named, and tells what became
 * of its files. Where something was not said, the program runs once, unmodified, and shows it. Returns the folder's path;
 * asks nothing, and refuses what no task can be made of.
 */
export async function makeTask(io: Io, options: SourceOptions): Promise<string> {
  const asked = parseSourceOptions(options);
  const source = await readSource(asked.source);
  const name = asked.name ?? taskNameFrom(basename(source.root));
  const folder = resolve(asked.out ?? join('tasks', name));
  if (existsSync(folder))
    throw refused(
      `Expected ${folder} not to be there. To start the task that is there: npx perpetua start ${shellWord(folder)}; to make another one, give it a --name.`,
    );
  const parts = requireParts(source, asked);
  const files = source.files.filter(({ path }) => parts.workspace.includes(path));
  const { tried, workspace, leftovers } = await tryWithoutLeftovers(io, asked, { files, mutable: parts.mutable });
  const artefacts =
    asked.evaluate === null ? null : (asked.artefacts ?? artefactsOf(tried?.writtenFiles ?? [], parts.mutable));
  const seconds = asked.seconds ?? Math.max(1, Math.ceil(tried?.seconds ?? 1));
  const { run, metric } = asked;
  const mutable = asked.mutable ?? parts.mutable;
  const task = buildTask({ name, run, metric, mutable, seconds, artefacts, knobs: knobsIn(textsOf(source, parts)) });
  const made: MadeTask = { asked, source, parts, folder, tried, artefacts, task, leftovers };
  await writeWorkspace(folder, taskFiles(made, workspace));
  for (const line of describeMadeTask(made)) printNote(io, line);
  const loaded = await loadTask(folder);
  if (tried) await scoreOnce(io, { loaded, tried, folder });
  return folder;
}

/** The files of the folder of a task that was made of a program: its task.yaml, its workspace, and its evaluator, if any. */
function taskFiles({ asked, source, artefacts, task }: MadeTask, workspace: WorkspaceFile[]): WorkspaceFile[] {
  const files = [yamlFile(task, asked.source), ...below('workspace', workspace)];
  if (asked.evaluate === null || artefacts === null) return files;
  const text = evaluatorText({ command: asked.evaluate, metric: asked.metric.name, artefacts });
  // The output of a run takes the place of a file of that name.
  const own = source.files.filter(({ path }) => !artefacts.includes(path));
  return [
    ...files,
    ...below('evaluator', own),
    { path: `evaluator/${EVALUATOR}`, content: Buffer.from(text), executable: false },
  ];
}

const below = (folder: string, files: readonly WorkspaceFile[]): WorkspaceFile[] =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));

function yamlFile(task: TaskInput, source: string): WorkspaceFile {
  const head = `# Made by perpetua start --source ${shellWord(source)}. Every key: docs/guides/tasks.md\n`;
  return { path: 'task.yaml', content: Buffer.from(head + stringify(task)), executable: false };
}

function requireParts(source: Source, asked: SourceRequest): SourceParts {
  const { run, evaluate, evalFiles, mutable } = asked;
  const any = (globs: readonly string[]) => (path: string) => globs.some((glob) => globMatcher(glob)(path));
  const paths = source.files.map(({ path }) => path);
  const isMutable = mutable === null ? null : any(mutable);
  const parts = splitSource(paths, { run, evaluate, isHeld: any(evalFiles), isMutable });
  if (parts.mutable.length === 0)
    throw refused(
      mutable === null
        ? `Expected --run to name a file of ${source.root}, or --mutable GLOB: which files may a proposal change?`
        : `Expected --mutable to match files of ${source.root}, it matches none.`,
    );
  return parts;
}

/**
 * Tries the program, and leaves out of its workspace what an earlier run of it left there: a run that writes over a file which no
 * proposal may change is refused. Where there was such a file the program runs once more without it.
 */
async function tryWithoutLeftovers(
  io: Io,
  asked: SourceRequest,
  { files, mutable }: { files: WorkspaceFile[]; mutable: string[] },
): Promise<{ tried: ProgramRun | null; workspace: WorkspaceFile[]; leftovers: string[] }> {
  const first = await tryWhereUnknown(io, asked, files);
  const written = [...(first?.writtenFiles ?? []).map(({ path }) => path), ...(asked.artefacts ?? [])];
  const leftovers = files.map(({ path }) => path).filter((path) => written.includes(path) && !mutable.includes(path));
  const workspace = files.filter(({ path }) => !leftovers.includes(path));
  if (!first || leftovers.length === 0) return { tried: first, workspace, leftovers };
  printNote(io, `runs it once more, without what an earlier run left: ${summarizePaths(leftovers)}`);
  return { tried: await tryWhereUnknown(io, asked, workspace), workspace, leftovers };
}

/** One run of the unmodified program; null where everything is known without it. */
async function tryWhereUnknown(io: Io, asked: SourceRequest, files: WorkspaceFile[]): Promise<ProgramRun | null> {
  if (asked.seconds !== null && (asked.evaluate === null || asked.artefacts !== null)) return null;
  printNote(io, `runs it once, unmodified, to see how long it takes and what it leaves: ${asked.run}`);
  const env = toolEnv(configOf(io));
  return runProgramOnce({ command: asked.run, files, env }, io.signal ?? new AbortController().signal);
}

const textsOf = ({ files }: Source, { mutable }: SourceParts): Record<string, string> =>
  Object.fromEntries(
    files.filter(({ path }) => mutable.includes(path)).map(({ path, content }) => [path, content.toString('utf8')]),
  );
