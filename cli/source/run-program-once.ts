import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exclusionReason } from '../../domain/source/exclusion-reason.ts';
import type { WorkspaceFile } from '../../db/reads/read-files.ts';
import { readFolder } from '../../tasks/folder/read-folder.ts';
import { CliError } from '../errors.ts';
import { writeWorkspace } from '../task/write-workspace.ts';

const LONGEST_SECONDS = 3600;
/** Characters of the output's end that an error shows. */
const TAIL = 2000;

export interface ProgramRun {
  seconds: number;
  stdout: string;
  /** Files that the run made or changed. */
  writtenFiles: { path: string; content: Uint8Array }[];
}

interface Program {
  command: string;
  files: WorkspaceFile[];
  env: Readonly<Record<string, string>>;
}

/**
 * Runs the unmodified program once to find its time and its outputs. It runs in a copy of its files, as the calling
 * user and without a sandbox. Throws CliError if the program fails, or takes more than an hour.
 */
export async function runProgramOnce(program: Program, signal: AbortSignal): Promise<ProgramRun> {
  const { files, command } = program;
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-source-'));
  try {
    await writeWorkspace(folder, files);
    const begun = performance.now();
    const { code, stdout, stderr } = await runIn(folder, program, signal);
    const seconds = (performance.now() - begun) / 1000;
    if (code !== 0) {
      const tail = (stderr || stdout).slice(-TAIL).trim();
      throw new CliError('failed', `Expected the unmodified program to run; ${command} ended with ${code}:\n${tail}`);
    }
    const before = new Map(files.map((file) => [file.path, hashOf(file.content)]));
    const after = (await readFolder(folder)).files;
    const writtenFiles = after.filter(
      ({ path, content }) => exclusionReason(path) === null && before.get(path) !== hashOf(content),
    );
    return { seconds, stdout, writtenFiles };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

interface Ended {
  /** Exit code, or the name of the signal that ended the program. */
  code: number | string;
  stdout: string;
  stderr: string;
}

function runIn(cwd: string, { command, env }: Program, signal: AbortSignal): Promise<Ended> {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, PERPETUA_SEED: '1' },
  });
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(kill, LONGEST_SECONDS * 1000);
  signal.addEventListener('abort', kill);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]
      .setEncoding('utf8')
      .on('data', (text: string) => (output[name] = (output[name] + text).slice(-1_000_000)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signalName) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      resolve({ code: code ?? signalName ?? 1, ...output });
    });
  });
}
