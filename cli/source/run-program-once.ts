import { createHash } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { OpenedFiles } from '../../domain/source/assign-files.ts';
import { exclusionReason } from '../../domain/source/exclusion-reason.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { readFolder } from '../../tasks/folder/read-folder.ts';
import { CliError } from '../errors.ts';
import { addFiles, writeWorkspace } from '../task/write-workspace.ts';
import { makeTraceFolder, readFileUse, setAccessTimesBack, type FileUse } from './access-times.ts';

const LONGEST_SECONDS = 3600;
/** Characters of the output's end that an error shows. */
const TAIL = 2000;

export interface ProgramRun {
  seconds: number;
  stdout: string;
  /** Files that the run made or changed. */
  writtenFiles: { path: string; content: Uint8Array }[];
  /** Files that each command opened; null without an evaluation, or if the file system does not record it. */
  opened: OpenedFiles | null;
}

export interface Program {
  command: string;
  files: WorkspaceFile[];
  env: Readonly<Record<string, string>>;
  /** Parents of the copy, the preferred one first. */
  parents: readonly string[];
  /** The evaluation that runs after the program, with files that only the evaluation may read; null without one. */
  evaluation: { command: string; files: WorkspaceFile[] } | null;
  /** Called before the run if no parent's file system records which files are opened. */
  onUntraced: () => void;
  /** Called with the files that the run wrote, before the evaluation. */
  onEnded: (written: ProgramRun['writtenFiles']) => void;
}

/**
 * Runs the unmodified program once to find its time, its outputs, and the files that it and its evaluation open. It
 * runs in a copy of its files, as the calling user and without a sandbox. Throws CliError if a command fails, or takes
 * more than an hour.
 */
export async function runProgramOnce(program: Program, signal: AbortSignal): Promise<ProgramRun> {
  const { files, command, evaluation, env, parents, onUntraced, onEnded } = program;
  const { folder, traced } = await makeTraceFolder(parents);
  const runIn = (line: string, purpose: string) => runCommand({ cwd: folder, command: line, env, purpose }, signal);
  try {
    if (!traced) onUntraced();
    await writeWorkspace(folder, files);
    const before = await setAccessTimesBack(folder, pathsOf(files));
    const begun = performance.now();
    const { stdout } = await runIn(command, 'the unmodified program to run');
    const seconds = (performance.now() - begun) / 1000;
    // Before anything else reads the folder.
    const use = await readFileUse(folder, before);
    const writtenFiles = await readWrittenFiles(folder, files, use);
    onEnded(writtenFiles);
    if (evaluation === null || !traced) return { seconds, stdout, writtenFiles, opened: null };
    // A file that the run wrote stays: the evaluation scores it.
    const added = evaluation.files.filter(({ path }) => !writtenFiles.some((written) => written.path === path));
    await addFiles(folder, added);
    const unscored = await setAccessTimesBack(folder, pathsOf([...files, ...added]));
    await runIn(evaluation.command, 'the evaluation to run on the files of the unmodified program');
    const { accessed } = await readFileUse(folder, unscored);
    return { seconds, stdout, writtenFiles, opened: { run: use.accessed, evaluation: accessed } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const pathsOf = (files: readonly WorkspaceFile[]): string[] => files.map(({ path }) => path);

async function readWrittenFiles(
  folder: string,
  files: WorkspaceFile[],
  { rewritten }: FileUse,
): Promise<ProgramRun['writtenFiles']> {
  const before = new Map(files.map((file) => [file.path, hashOf(file.content)]));
  const after = (await readFolder(folder)).files;
  return after.filter(
    ({ path, content }) =>
      exclusionReason(path) === null && (rewritten.has(path) || before.get(path) !== hashOf(content)),
  );
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

interface Command {
  cwd: string;
  command: string;
  env: Readonly<Record<string, string>>;
  /** The expectation in words, for the error. */
  purpose: string;
}

/** Runs a shell line and returns its output. Throws CliError if it does not exit with 0. */
async function runCommand(command: Command, signal: AbortSignal): Promise<Ended> {
  const ended = await waitForEnd(command, signal);
  if (ended.code === 0) return ended;
  const tail = (ended.stderr || ended.stdout).slice(-TAIL).trim();
  const { purpose, command: line } = command;
  throw new CliError('failed', `Expected ${purpose}; ${line} ended with ${ended.code}:\n${tail}`);
}

interface Ended {
  /** Exit code, or the name of the signal that ended the program. */
  code: number | string;
  stdout: string;
  stderr: string;
}

/** Waits until a shell line and all processes of its group have ended: those that it leaves behind are killed. */
function waitForEnd({ cwd, command, env }: Command, signal: AbortSignal): Promise<Ended> {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without bytecode files every import opens the module's own file.
    env: { ...env, PERPETUA_SEED: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  const kill = (): void => killGroup(child);
  const timer = setTimeout(kill, LONGEST_SECONDS * 1000);
  signal.addEventListener('abort', kill);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]
      .setEncoding('utf8')
      .on('data', (text: string) => (output[name] = (output[name] + text).slice(-1_000_000)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // A process in the background holds the output open, and would write files while they are read.
    child.once('exit', kill);
    child.once('close', (code, signalName) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      resolve({ code: code ?? signalName ?? 1, ...output });
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
