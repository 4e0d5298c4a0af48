import { basename, join, sep } from 'node:path';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { DEFAULT_FILES } from '../domain/schema/run.ts';
import { MEMORY_PATH } from '../domain/edit/answer/memory.ts';
import { type Task } from '../domain/task/task.ts';
import { withOriginals } from '../domain/knob/knob-form.ts';
import { listProblems } from '../domain/search/replay/list-problems.ts';
import { editFileProblems } from '../domain/task/contradictions/edit-problems.ts';
import { knobFiles } from '../domain/task/contradictions/knob-files.ts';
import { preflightProblems } from '../domain/preflight/preflight-problems.ts';
import { specialistProblems } from '../domain/search/specialist/specialist-problems.ts';
import { type Problem, describeValue } from '../domain/issue/problem.ts';
import { toIssue } from './yaml/explain.ts';
import { checkFolder, linkProblems, mutablePathsOf } from './folder/check-folder.ts';
import { hashFiles, hashOf, sha256 } from './hash.ts';
import { parseTask } from './parse-task.ts';
import { readLock } from './folder/read-lock.ts';
import { shownProblems } from './folder/shown-files.ts';
import type { TaskFile } from './folder/read-folder.ts';
import { valueAt } from '../domain/task/explain/schema-walk.ts';
import { nearestKey } from '../domain/text/nearest-key.ts';
import { TaskError } from './task-error.ts';
import { mutableTexts } from './folder/mutable-texts.ts';
import { decodeText } from './decode-text.ts';
import { issueOfFile, readYamlFile, type FileProblem } from './yaml/read-yaml-file.ts';

/** One version of a task, identified by its content. All hashes are SHA-256 in hex. */
export interface LoadedTask {
  /** Id of the version: hash of the YAML's bytes, the prompt, the workspace, the evaluator and the environment. */
  hash: string;
  task: Task;
  yaml: string;
  prompt: string | null;
  /** All files of the workspace, mutable files with their original text. */
  workspace: TaskFile[];
  /** Empty if `evaluator.type` is none. */
  evaluatorFiles: TaskFile[];
  /** Files from which the environment is built; absent if the task has none. */
  environmentFiles?: TaskFile[];
  /** Files of the workspace that a proposal may change, sorted. */
  mutablePaths: string[];
  /**
   * Hash of the fixed part of a run: the immutable workspace files, `run` without its sandbox, `setup`, and the
   * environment.
   */
  immutableHash: string;
  /** Hash of the evaluator's files and of the section `evaluator`. */
  evaluatorHash: string;
  /**
   * Hash of the metric's meaning: its name, direction, bounds and how it is read, and `evaluatorHash`. An incumbent
   * stays after a change of task only if this hash is equal.
   */
  metricKey: string;
  /**
   * Hash of the stage, which a host holds once for all candidates: the immutable files with the commands that draw
   * them, the setup commands, and the folders and environment with which both run.
   */
  stageHash: string;
  /** Folder that the task was read from. */
  folder: string;
  /** Position of a key, as `my-task/task.yaml:3:7`; null if the file does not have the key. */
  positionOf: (path: readonly string[]) => string | null;
}

const LARGEST = 256 * 1024;

/** Reads the text for proposers: the named file, or prompt.md if there is one; null without either. */
async function readPrompt(
  folder: string,
  named: string | undefined,
): Promise<{ text: string | null; problems: Problem[] }> {
  const name = named ?? 'prompt.md';
  const file = join(folder, name);
  const wrong = (got: string, todo: string): { text: null; problems: Problem[] } => ({
    text: null,
    problems: [{ path: ['prompt'], expected: `a text file ${name} beside task.yaml`, got, todo }],
  });
  const there = await lstat(file).catch(() => null);
  if (!there)
    return named === undefined ? { text: null, problems: [] } : wrong('nothing', 'write it or remove the key');
  if ((await realpath(file)) !== (await realpath(folder)) + sep + name.replaceAll('/', sep))
    return wrong('a symbolic link', 'copy the file here');
  if (!there.isFile()) return wrong('no regular file', 'name a Markdown file');
  if (there.size > LARGEST) return wrong(`${Math.ceil(there.size / 1024)} KiB`, 'keep it under 256 KiB');
  const text = decodeText(await readFile(file));
  if (text === null || text.includes('\0')) return wrong('no UTF-8 text', 'save it as UTF-8');
  return { text, problems: [] };
}

/** Reads and checks a task folder. Throws a TaskError with every problem that was found. */
export async function loadTask(folder: string): Promise<LoadedTask> {
  const bytes = await readTaskYaml(folder);
  const { task, source } = parseTask(bytes, join(basename(folder), 'task.yaml'));
  const problems: Problem[] = [];
  const workspace = await checkFolder(folder, task.workspace, ['workspace']);
  problems.push(...workspace.problems, ...linkProblems(workspace.links, 'workspace', task.mutable));
  const evaluator = await evaluatorOf(folder, task);
  problems.push(...evaluator.problems);
  const environment = await readLock(folder, task.environment);
  problems.push(...environment.problems);
  const prompt = await readPrompt(folder, task.prompt);
  problems.push(...prompt.problems);
  const mutable = mutablePathsOf(workspace.files, task);
  // If the workspace has a problem itself, every glob would be reported as well.
  if (workspace.problems.length === 0 && workspace.links.size === 0) problems.push(...mutable.problems);
  if (mutable.paths.includes(MEMORY_PATH)) problems.push(RESERVED);
  problems.push(...drawnFiles(task, { workspace: workspace.files, mutable: mutable.paths }));
  const texts = mutableTexts(workspace.files, mutable.paths);
  problems.push(...texts.problems);
  const knobs = withOriginals(task.knobs, texts.texts);
  if (problems.length === 0)
    problems.push(
      ...knobFiles(knobs, texts.texts),
      ...preflightProblems(task, texts.texts),
      ...specialistProblems(task, mutable.paths),
    );
  const paths = workspace.files.map(({ path }) => path);
  if (problems.length === 0) problems.push(...editFileProblems({ ...task, knobs }, { paths, texts: texts.texts }));
  if (problems.length === 0) problems.push(...shownProblems(workspace.files, { task, mutablePaths: mutable.paths }));
  if (problems.length === 0)
    problems.push(
      ...listProblems({ task: { ...task, knobs }, workspace: workspace.files, mutablePaths: mutable.paths }),
    );
  if (problems.length > 0) throw new TaskError(problems.map((problem) => toIssue(problem, source)));
  const loaded = {
    task: { ...task, knobs },
    yaml: bytes,
    prompt: prompt.text,
    workspace: workspace.files,
    evaluatorFiles: evaluator.files,
    ...(task.environment && { environmentFiles: environment.files }),
  };
  const positionOf = (path: readonly string[]): string | null => {
    if (valueAt(path, source.value) === undefined) return null;
    const { line, column } = source.locate(path);
    return `${source.file}:${line}:${column}`;
  };
  return { ...loaded, mutablePaths: mutable.paths, ...hashesOf(loaded, mutable.paths), folder, positionOf };
}

/** Reads the text of a folder's task.yaml. Throws a TaskError if there is none that can be read. */
async function readTaskYaml(folder: string): Promise<string> {
  const file = join(folder, 'task.yaml');
  const read = await readYamlFile(file);
  if (read === null) throw new TaskError([issueOfFile(file, await problemOfFolder(folder))]);
  if ('issue' in read) throw new TaskError([read.issue]);
  return read.text;
}

/** The problem of a path without a task.yaml. */
async function problemOfFolder(folder: string): Promise<FileProblem> {
  const names = await readdir(folder).catch(() => null);
  if (names === null)
    return {
      expected: 'a task folder',
      got: `no folder ${folder}`,
      todo: 'name a folder with a task.yaml, or write one: npx perpetua init DIR',
    };
  const nearest = nearestKey('task.yaml', names);
  const todo = nearest === null ? '`npx perpetua init DIR` writes one' : `rename ${nearest}`;
  return { expected: 'a file task.yaml in the folder', got: 'none', todo };
}

/** A model's answer could not tell the file from the memory. */
const RESERVED: Problem = {
  path: ['mutable'],
  expected: `no file ${MEMORY_PATH}, the name under which an answer replaces the model's memory`,
  got: 'such a file',
  todo: 'rename the file, or name it under immutable',
};

/** Problems of `evaluator.draws`: each drawn file replaces an immutable file, which is there for work by hand. */
function drawnFiles(
  { evaluator }: Task,
  { workspace, mutable }: { workspace: readonly TaskFile[]; mutable: readonly string[] },
): Problem[] {
  if (evaluator.type === 'none') return [];
  return (evaluator.draws ?? []).flatMap(({ path }, i): Problem[] => {
    if (workspace.some((file) => file.path === path) && !mutable.includes(path)) return [];
    const got = mutable.includes(path)
      ? `${describeValue(path)}, which is mutable`
      : `${describeValue(path)}, which is not there`;
    const todo = 'put a file there that you drew by hand, and name it under immutable if a glob of mutable matches it';
    return [{ path: ['evaluator', 'draws', i, 'path'], expected: 'an immutable file of the workspace', got, todo }];
  });
}

async function evaluatorOf(folder: string, { evaluator }: Task): Promise<{ files: TaskFile[]; problems: Problem[] }> {
  if (evaluator.type === 'none') return { files: [], problems: [] };
  const { files, links, problems } = await checkFolder(folder, evaluator.files, ['evaluator', 'files']);
  return { files, problems: [...problems, ...linkProblems(links, 'evaluator', [])] };
}

type Content = Pick<LoadedTask, 'task' | 'yaml' | 'prompt' | 'workspace' | 'evaluatorFiles' | 'environmentFiles'>;
type Hashes = Pick<LoadedTask, 'hash' | 'immutableHash' | 'evaluatorHash' | 'metricKey' | 'stageHash'>;

/**
 * The resources for the hash. A default `files` is left out, since hashes must stay as they were before the key
 * existed.
 */
function hashedResources({ run: { resources } }: Task): Partial<Task['run']['resources']> {
  const { files, ...older } = resources;
  return files === DEFAULT_FILES ? older : resources;
}

/** The settings of an evaluator that decide scores: not the display of its cases, and not the score of a report. */
function scoringOf(evaluator: Task['evaluator']): Task['evaluator'] {
  if (evaluator.type === 'none') return evaluator;
  const { feedback, ...scoring } = evaluator;
  void feedback;
  if (scoring.type === 'artefact') delete scoring.heldOut;
  return scoring;
}

function hashesOf(content: Content, mutablePaths: readonly string[]): Hashes {
  const { task, yaml, prompt, workspace, evaluatorFiles, environmentFiles } = content;
  const { command, budget, timeoutSeconds, graceSeconds, env, passEnv, artefacts, path, readable } = task.run;
  const resources = hashedResources(task);
  const run = { command, budget, timeoutSeconds, graceSeconds, env, passEnv, artefacts, resources };
  const programs = path.length > 0 ? ['path', path] : [];
  const seen = readable.length > 0 ? ['readable', readable] : [];
  const setup = task.setup?.commands ?? [];
  // Empty without an environment: hashes must stay as they were before tasks could have one.
  const environment = task.environment ? [{ ...task.environment, files: hashFiles(environmentFiles ?? []) }] : [];
  const fixed = workspace.filter(({ path }) => !mutablePaths.includes(path));
  // The environment counts: an evaluator may give another score with other packages.
  const evaluatorHash = hashOf(['evaluator/1', hashFiles(evaluatorFiles), scoringOf(task.evaluator), ...environment]);
  const draws = task.evaluator.type === 'none' ? [] : (task.evaluator.draws ?? []);
  const drawing = draws.length > 0 ? ['draws', draws, hashFiles(evaluatorFiles)] : [];
  // With other programs, a setup or a command that draws a file may make other files.
  const stagePrograms = setup.length > 0 || drawing.length > 0 ? [...programs, ...environment] : [];
  const { name, direction, from, format, pattern } = task.metric;
  return {
    hash: hashOf(['task/1', sha256(yaml), prompt, hashFiles(workspace), hashFiles(evaluatorFiles), ...environment]),
    immutableHash: hashOf(['immutable/1', hashFiles(fixed), run, setup, ...programs, ...seen, ...environment]),
    evaluatorHash,
    // Without the bounds: after a change of the bounds, values that lie within them still count.
    metricKey: hashOf(['metric/1', { name, direction, from, format, pattern }, evaluatorHash]),
    stageHash: hashOf(['stage/2', hashFiles(fixed), setup, ...drawing, ...stagePrograms]),
  };
}
