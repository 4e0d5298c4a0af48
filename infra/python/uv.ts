import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { machine, type } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { killWithParent } from '../process/kill-with-parent.ts';
import { PLAIN_OUTPUT } from '../plain-output.ts';
import { onPath } from '../temporal/cli/find-cli.ts';
import { INDEX_UNREACHABLE } from './describe-build-failure.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Wheels of uv with their SHA-256, by platform. The musl wheels run with any C library. */
const WHEELS = {
  'Linux x86_64': ['musllinux_1_1_x86_64', '2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25'],
  'Linux aarch64': ['musllinux_1_1_aarch64', '5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe'],
  'Darwin x86_64': ['macosx_10_12_x86_64', 'c16ed11e013557536b3e60065f1b912f6407bd6518e041b961e23ef9e6b4fbf5'],
  'Darwin arm64': ['macosx_11_0_arm64', '66c512266d633bef48384a1f53003f41f2a8e7b36fe6e7fbfd3e0fd52d96fa63'],
} as const;
export const UV_VERSION = '0.13.9';
/** Last lines of uv's output in an error. */
const ERROR_LINES = 8;

/** The package index could not be reached. */
export class IndexUnreachableError extends Error {
  override readonly name = 'IndexUnreachableError';
}

/** This machine as `uname -sm` names it. */
const MACHINE = `${type()} ${machine()}`;

interface Wanted {
  cache: string;
  env: Env;
  /** Platform on which uv will run, by `uname -sm`; default: this machine's, for which a uv on the PATH suffices. */
  platform?: string;
}

/**
 * Finds uv on the PATH, else the pinned version, which pip downloads into `cache` and checks by its hash. Throws
 * IndexUnreachableError if neither is available.
 */
export async function getUv(python: string, { cache, env, platform = MACHINE }: Wanted): Promise<string> {
  const [installed] = platform === MACHINE ? onPath('uv', env.PATH ?? '') : [];
  if (installed !== undefined) return installed;
  const [wheelTag, hash] = wheelFor(platform);
  const kept = join(cache, `uv-${UV_VERSION}-${wheelTag}`);
  const path = join(kept, 'bin', 'uv');
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, 'uv.'));
  try {
    // pip takes hashes only from a file.
    const list = join(temporary, 'uv.txt');
    await writeFile(list, `uv==${UV_VERSION} --hash=sha256:${hash}\n`);
    const source = ['--require-hashes', '--no-deps', '--only-binary=:all:', '--platform', wheelTag, '-r', list];
    const args = ['-m', 'pip', 'install', '--quiet', '--no-warn-script-location', '--target', temporary, ...source];
    await promisify(execFile)(python, args, { env, timeout: 300_000 }).catch((error: unknown) => {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      const why = stderr.trim().split('\n').at(-1) || message;
      throw new IndexUnreachableError(
        `Expected uv; pip could not install it (${why}). Install uv: https://docs.astral.sh/uv`,
      );
    });
    await putInPlace(temporary, kept);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return path;
}

function wheelFor(platform: string): readonly [wheelTag: string, hash: string] {
  const found = Object.entries(WHEELS).find(([name]) => name === platform)?.[1];
  if (found) return found;
  const known = Object.keys(WHEELS).join(', ');
  throw new IndexUnreachableError(
    `Expected a platform that uv supports (${known}), got ${platform}: put uv on its PATH`,
  );
}

/** Variables for uv, with pip's settings of the index, which uv does not read. */
export async function uvEnvironment(python: string, env: Env): Promise<Record<string, string | undefined>> {
  const list = promisify(execFile)(python, ['-m', 'pip', 'config', 'list'], { env: { ...env, ...PLAIN_OUTPUT } });
  const { stdout } = await list.catch(() => ({ stdout: '' })); // an interpreter without pip has no settings
  const setting = (name: string) =>
    new RegExp(`^(?:global|site|user|install|:env:)\\.${name}='(.*)'$`, 'm').exec(stdout)?.[1];
  const [index, cert] = [setting('index-url'), setting('cert')];
  return {
    ...env,
    UV_PYTHON_DOWNLOADS: 'never',
    ...(index && !env.UV_DEFAULT_INDEX && !env.UV_INDEX_URL && { UV_DEFAULT_INDEX: index }),
    ...(cert && !env.SSL_CERT_FILE && { SSL_CERT_FILE: cert }),
  };
}

/** Runs uv and passes each line of its output to `onLine`; throws with the last lines if it fails. */
export async function runUv(
  [command = '', ...args]: string[],
  { env, onLine, signal }: { env: Env; onLine: (line: string) => void; signal?: AbortSignal },
): Promise<void> {
  const child = spawn(command, args, { env: { ...env, ...PLAIN_OUTPUT }, stdio: ['ignore', 'ignore', 'pipe'] });
  const untie = killWithParent(child, signal);
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (line.trim() !== '') lines.push(line);
    onLine(line);
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(untie);
  signal?.throwIfAborted();
  if (code === 0) return;
  const lastLines = lines.slice(-ERROR_LINES).join('\n');
  const message = `${command} ${args[0]} failed:\n${lastLines}`;
  throw INDEX_UNREACHABLE.test(lastLines) ? new IndexUnreachableError(message) : new Error(message);
}

/** Renames a folder into place. If another process was faster, its folder stays. */
export async function putInPlace(temporary: string, final: string): Promise<void> {
  await mkdir(dirname(final), { recursive: true });
  await rename(temporary, final).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
