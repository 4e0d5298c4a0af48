import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { tie } from '../process/tie.ts';
import { onPath } from '../temporal/find-cli.ts';

type Env = Readonly<Record<string, string | undefined>>;

const UV = 'uv==0.13.9';
const LAST_WORDS = 8;

/** The package index was not reached. */
export class NotReachedError extends Error {
  override readonly name = 'NotReachedError';
}
/** uv's words where it cannot reach an index; those of a wrong hash or a full disk are others. */
const NOT_REACHED =
  /Failed to fetch|error sending request|dns error|tcp connect error|operation timed out|Connectivity is disabled/i;

/** The path of uv: the PATH's, else one that pip puts into `cache`. Throws where there is neither. */
export async function getUv(python: string, { cache, env }: { cache: string; env: Env }): Promise<string> {
  const [there] = onPath('uv', env.PATH ?? '');
  if (there !== undefined) return there;
  const kept = join(cache, 'uv');
  const path = join(kept, 'bin', 'uv');
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(`${kept}.`);
  try {
    const words = ['-m', 'pip', 'install', '--quiet', '--no-warn-script-location', '--target', temporary, UV];
    await promisify(execFile)(python, words, { env, timeout: 300_000 }).catch((error: unknown) => {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      const why = stderr.trim().split('\n').at(-1) || message;
      throw new NotReachedError(`Expected uv, and pip cannot get it (${why}): install uv, https://docs.astral.sh/uv`);
    });
    await replace(temporary, kept);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return path;
}

/** The environment for uv, with what pip was told about the index, which uv does not read. */
export async function uvEnvironment(python: string, env: Env): Promise<Record<string, string | undefined>> {
  const list = promisify(execFile)(python, ['-m', 'pip', 'config', 'list'], { env });
  const { stdout } = await list.catch(() => ({ stdout: '' })); // an interpreter without pip was told nothing
  const of = (name: string) =>
    new RegExp(`^(?:global|site|user|install|:env:)\\.${name}='(.*)'$`, 'm').exec(stdout)?.[1];
  const [index, cert] = [of('index-url'), of('cert')];
  return {
    ...env,
    UV_PYTHON_DOWNLOADS: 'never',
    ...(index && !env.UV_DEFAULT_INDEX && !env.UV_INDEX_URL && { UV_DEFAULT_INDEX: index }),
    ...(cert && !env.SSL_CERT_FILE && { SSL_CERT_FILE: cert }),
  };
}

/** Runs uv and hands over each line that it says; throws with its last words where it fails. */
export async function runUv(
  [command = '', ...args]: string[],
  { env, onLine, signal }: { env: Env; onLine: (line: string) => void; signal?: AbortSignal },
): Promise<void> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const untie = tie(child, signal);
  const words: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (line.trim() !== '') words.push(line);
    onLine(line);
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(untie);
  signal?.throwIfAborted();
  if (code === 0) return;
  const said = words.slice(-LAST_WORDS).join('\n');
  const message = `${command} ${args[0]} failed:\n${said}`;
  throw NOT_REACHED.test(said) ? new NotReachedError(message) : new Error(message);
}

/** Puts a folder in place; one that is there already stays where another process was first. */
export async function replace(temporary: string, final: string): Promise<void> {
  await mkdir(dirname(final), { recursive: true });
  await rename(temporary, final).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
