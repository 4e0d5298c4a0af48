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
 * Runs a program once, unmodified, in a copy of its files, as the person who calls would: it shows how long a run takes and what it
 * leaves. Throws CliError where it fails, or takes more than an hour.
 */
export async function runProgramOnce(program: Program, signal: AbortSignal): Promise<ProgramRun> {
  const { files, command } = program;
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-source-'));
  try {
    await writeWorkspace(folder, files);
    const begun = performance.now();
    const { code, stdout, stderr } = await runIn(folder, program, signal);
    const seconds = (performance.now() - begun) / 1000;
    if (code !== 0)
      throw new CliError(
        'failed',
        `Expected the unmodified program to run; ${command} ended with ${code}:\n${(stderr || stdout).slice(-TAIL).trim()}`,
      );
    const before = new Map(files.map((file) => [file.path, hashOf(file.content)]));
    const after = (await readFolder(folder)).files;
    const made = after.filter(
      ({ path, content }) => exclusionReason(path) === null && before.get(path) !== hashOf(content),
    );
    return { seconds, stdout, writtenFiles: made };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

interface Ended {
  /** Exit code, or the signal's name. */
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
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const late = setTimeout(end, LONGEST_SECONDS * 1000);
  signal.addEventListener('abort', end);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] = (said[name] + text).slice(-1_000_000)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, how) => {
      clearTimeout(late);
      signal.removeEventListener('abort', end);
      resolve({ code: code ?? how ?? 1, ...said });
    });
  });
}
