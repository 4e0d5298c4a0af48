import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { summarizePaths } from '../../domain/text/summarize-paths.ts';
import { buildTask, formatOfMetric } from '../../domain/source/build-task.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { loadTask } from '../../tasks/load.ts';
import { toolEnv } from '../../config/child-env.ts';
import { SYSTEM_PATH } from '../../infra/system-path.ts';
import { buildEnvironment, type Installed } from '../certificate/build-program-path.ts';
import { requireHiddenSource } from './programs/require-hidden-source.ts';
import { resolvePrograms, type Programs } from './programs/resolve-programs.ts';
import { configOf } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import type { TaskInput } from '../../domain/task/task.ts';
import { taskNameFrom } from '../../domain/task/task-name.ts';
import { writeWorkspace } from '../task/write-workspace.ts';
import { parseSourceOptions, type SourceOptions } from './options.ts';
import { readSource, type Source } from './read-source.ts';
import { lockFiles, taskFiles, yamlFile } from './task-files.ts';
import { chooseKnobs } from './knobs/choose-knobs.ts';
import { scoreOnce } from './try/score-once.ts';
import { tryInSandbox } from './try/try-in-sandbox.ts';
import { describeMadeTask, type MadeTask } from './describe-made-task.ts';
import { observeProgram } from './observe-program.ts';
import { requireParts } from './require-parts.ts';
import type { ProgramRun } from './run-program-once.ts';

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
 * each file. If the budget or the artefacts are not given, runs the unmodified program once to find them. In any case
 * runs it once in the sandbox. Returns the folder's path. Refuses a program that no task can be made of. `parents`: see
 * `Program`.
 */
export async function makeTask(io: Io, options: SourceOptions, parents = parentsOfCopies(io)): Promise<string> {
  const given = parseSourceOptions(options);
  const source = await readSource(given.source);
  const name = given.name ?? taskNameFrom(basename(source.root));
  const folder = resolve(given.out ?? join('tasks', name));
  if (existsSync(folder))
    throw refused(
      `Expected ${folder} not to exist yet. ` +
        `To start the task in it: npx perpetua start ${shellWord(folder)}\n` +
        'To make another task, choose another --name.',
    );
  const programs = await resolvePrograms(io, given, source);
  requireHiddenSource(source.root, programs);
  const request = { ...given, run: programs.run, evaluate: programs.evaluate };
  const parts = requireParts(source, request);
  const knobs = chooseKnobs(request.knobs, textsOf(source, parts.mutable));
  const python = await installLock(io, source, programs);
  const path = [...(python === null ? [] : [python.bin]), ...programs.path];
  const artefactsIn = (written: ProgramRun['writtenFiles']): string[] | null =>
    request.evaluate === null ? null : (request.artefacts ?? artefactsOf(written, parts.mutable));
  const observation = await observeProgram(io, request, {
    source,
    parents,
    env: shellEnv(io, { path, env: programs.env }),
    mutable: parts.mutable,
    onEnded: (written) => void artefactsIn(written),
  }).catch((error: unknown) => {
    throw withCopyHint(error, source);
  });
  const { tried, roles } = observation;
  const workspace = source.files.filter(({ path }) => roles.workspace.includes(path));
  const artefacts = artefactsIn(tried?.writtenFiles ?? []);
  const seconds = request.seconds ?? Math.max(1, Math.ceil(tried?.seconds ?? 1));
  const { run, metric } = request;
  const taskWith = (format: 'regex' | 'json'): TaskInput =>
    buildTask({
      name,
      run,
      metric,
      mutable: request.mutable ?? parts.mutable,
      seconds,
      format,
      artefacts,
      knobs: knobs.found.map(({ knob }) => knob),
      programs,
    });
  const task = taskWith(formatOfMetric(tried?.stdout ?? '', metric.name));
  const made: MadeTask = { request, source, mutable: parts.mutable, folder, observation, artefacts, task, knobs };
  await writeWorkspace(folder, taskFiles(made, workspace));
  for (const line of describeMadeTask(made)) printNote(io, line);
  let loaded = await loadTask(folder);
  const environment = python?.stage ?? null;
  const ended = await tryInSandbox(io, { loaded, root: source.root, folder, roles, environment, tried });
  if (tried === null) {
    // No earlier run showed the form in which the run prints its score.
    const yaml = yamlFile(taskWith(formatOfMetric(ended.stdout, metric.name)), request.source);
    await writeFile(join(folder, yaml.path), yaml.content);
    loaded = await loadTask(folder);
  }
  await scoreOnce(io, { loaded, tried: ended, folder, path });
  return folder;
}

/** Installs the packages of the source's lock; null if the task has none. */
async function installLock(io: Io, source: Source, { environment }: Programs): Promise<Installed | null> {
  if (environment === null) return null;
  printNote(io, `installing Python ${environment.python} with the packages of ${environment.lock}`);
  const files = lockFiles(source, { environment });
  return buildEnvironment(io, { environment, files }, io.signal ?? new AbortController().signal);
}

/** Adds a hint to the error of a missing file: the program runs in a copy of its folder, which may lack the file. */
function withCopyHint(error: unknown, { links }: Source): unknown {
  if (!(error instanceof CliError) || !/No such file|ENOENT|not found/.test(error.message)) return error;
  const left =
    links.length === 0 ? '' : `\nSymbolic links are not copied: ${summarizePaths(links)}. Use files instead.`;
  const copy = 'The program runs in a copy of its folder, so that paths such as ../data lead elsewhere.';
  return new CliError(error.code, `${error.message}\n${copy}${left}`);
}

/** Environment of this shell, with the programs and variables of a run. */
function shellEnv(io: Io, { path, env }: Pick<Programs, 'path' | 'env'>): Record<string, string> {
  const own = toolEnv(configOf(io));
  return { ...own, ...env, PATH: [...path, own.PATH ?? SYSTEM_PATH].join(':') };
}

const textsOf = ({ files }: Source, mutable: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    files.filter(({ path }) => mutable.includes(path)).map(({ path, content }) => [path, content.toString('utf8')]),
  );
