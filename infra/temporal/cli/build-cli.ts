import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { acquireLock, LockHeldError } from '../../process/lock.ts';
import { killWithParent } from '../../process/kill-with-parent.ts';
import { PLAIN_OUTPUT } from '../../plain-output.ts';
import { type BuildProgress, type FindCliOptions, PINNED_CLI } from './cli-options.ts';

const WRAPPER = fileURLToPath(new URL('wrapper', import.meta.url));
/** Measured numbers of modules and packages in a build of the pinned version, to show progress. */
const EXPECTED = { downloading: 205, compiling: 1716 } as const;

type BuildOptions = Pick<FindCliOptions, 'keptAt' | 'env' | 'onProgress' | 'signal'>;

/**
 * Builds the pinned CLI from the Go module proxy with the wrapper module beside this file, and stores it. One process
 * builds; others wait for its binary. Throws with the compiler's last lines.
 */
export async function buildCli(options: BuildOptions): Promise<void> {
  const began = performance.now();
  const report = (step: BuildProgress['step'], count: number, expected: number) =>
    options.onProgress({ step, count, expected, elapsedSeconds: Math.round((performance.now() - began) / 1000) });
  for (;;) {
    let release: () => void;
    try {
      release = acquireLock(`${options.keptAt}.lock`);
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      report('build-waiting', 0, 0);
      await sleep(1000, undefined, { ...(options.signal ? { signal: options.signal } : {}) });
      continue;
    }
    try {
      // Another process may have built it during the wait.
      if (!(await exists(options.keptAt))) await build(options, report);
      return;
    } finally {
      release();
    }
  }
}

async function build(
  options: BuildOptions,
  report: (step: BuildProgress['step'], count: number, expected: number) => void,
): Promise<void> {
  const bin = dirname(options.keptAt);
  await mkdir(bin, { recursive: true });
  // Not in the system's temporary folder, which may be in memory: the caches take 3.4 GB.
  for (const name of await readdir(bin))
    // This process holds the lock, so such a folder comes from a killed build.
    if (name.startsWith('.build-')) await rm(join(bin, name), { recursive: true, force: true });
  const folder = await mkdtemp(join(bin, '.build-'));
  try {
    await cp(WRAPPER, join(folder, 'wrapper'), { recursive: true });
    const output = join(folder, 'temporal');
    // Go's temporary files go into the folder, too, so that its removal covers them.
    const GOTMPDIR = join(folder, 'tmp');
    await mkdir(GOTMPDIR);
    await runGo({
      args: [
        'build',
        '-mod=readonly',
        '-modcacherw',
        '-buildvcs=false',
        '-trimpath',
        '-v',
        `-ldflags=-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${PINNED_CLI}`,
        '-o',
        output,
        'github.com/temporalio/cli/cmd/temporal',
      ],
      cwd: join(folder, 'wrapper'),
      env: {
        ...options.env,
        CGO_ENABLED: '0',
        GOFLAGS: '',
        GOWORK: 'off',
        GOTMPDIR,
        ...(await caches(options.env, folder)),
      },
      report,
      signal: options.signal,
    });
    await rename(output, options.keptAt);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Variables of Go's caches: the user's own ones if they exist, else in `folder`, whose removal frees the 3.4 GB. */
async function caches(env: Readonly<Record<string, string>>, folder: string): Promise<Record<string, string>> {
  if (env.GOPATH || env.GOMODCACHE || (await exists(join(homedir(), 'go', 'pkg', 'mod')))) return {};
  return { GOPATH: join(folder, 'gopath'), GOCACHE: join(folder, 'cache') };
}

interface GoRun {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  report: (step: BuildProgress['step'], count: number, expected: number) => void;
  signal: AbortSignal | undefined;
}

async function runGo({ args, cwd, env, report, signal }: GoRun): Promise<void> {
  const child = spawn('go', args, { cwd, env: { ...env, ...PLAIN_OUTPUT }, stdio: ['ignore', 'ignore', 'pipe'] });
  const count = { downloading: 0, compiling: 0 };
  const tail: string[] = [];
  const currentStep = () => (count.compiling > 0 ? 'compiling' : 'downloading');
  const timer = setInterval(() => {
    const step = currentStep();
    report(step, count[step], EXPECTED[step]);
  }, 1000);
  createInterface({ input: child.stderr }).on('line', (line) => {
    const step = line.startsWith('go: downloading') ? 'downloading' : 'compiling';
    count[step] += 1;
    tail.push(line);
    if (tail.length > 12) tail.shift();
  });
  // An abandoned build must not continue.
  const untie = killWithParent(child, signal);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`\`go build\` ended with ${code ?? 'a signal'}:\n${tail.join('\n')}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('no `go` on the PATH (Go 1.21 or newer builds it)', { cause: error });
  } finally {
    clearInterval(timer);
    untie();
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
