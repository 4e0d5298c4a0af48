import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { killWithParent } from '../../process/kill-with-parent.ts';
import { type FindCliOptions, PINNED_CLI } from './cli-options.ts';

/** Longest download. */
const LIMIT_MS = 180_000;
const PREFIX = '.download-';

// The SDK downloads only when it starts a server. In a separate process, the download can be killed.
const SCRIPT = `
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const { Runtime, DefaultLogger } = await import('@temporalio/worker');
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}) });
  const [downloadDir, version] = process.argv.slice(1);
  const executable = { type: 'cached-download', downloadDir, version };
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
`;

type DownloadOptions = Pick<FindCliOptions, 'keptAt' | 'env' | 'packageRoot' | 'onProgress' | 'signal'>;

/** Downloads the pinned CLI with the SDK and stores it. Throws at once if the download is blocked. */
export async function downloadCli(options: DownloadOptions): Promise<void> {
  const bin = dirname(options.keptAt);
  await mkdir(bin, { recursive: true });
  await removeAbandoned(bin);
  const folder = await mkdtemp(join(bin, PREFIX));
  const stopReports = reportSize(folder, options.onProgress);
  try {
    await runScript(folder, options);
    const [file] = (await readdir(folder)).filter((name) => name.startsWith('temporal'));
    if (!file) throw new Error(`the SDK left no binary in ${folder}`);
    await chmod(join(folder, file), 0o755);
    await rename(join(folder, file), options.keptAt);
  } finally {
    stopReports();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runScript(folder: string, options: DownloadOptions): Promise<void> {
  const args = ['--input-type=module', '-e', SCRIPT, '--', folder, `v${PINNED_CLI}`];
  const late = AbortSignal.timeout(LIMIT_MS);
  const running = promisify(execFile)(process.execPath, args, { cwd: options.packageRoot, env: { ...options.env } });
  const untie = killWithParent(running.child, AbortSignal.any([late, ...(options.signal ? [options.signal] : [])]));
  try {
    await running;
  } catch (error) {
    if (late.aborted) throw new Error(`the SDK's download did not end within ${LIMIT_MS / 1000} s`, { cause: error });
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`the SDK's download failed: ${lastError(stderr ?? message)}`, { cause: error });
  } finally {
    untie();
  }
}

/** Removes the folders of killed downloads, by age: a younger folder may belong to a running download. */
async function removeAbandoned(bin: string): Promise<void> {
  for (const name of (await readdir(bin)).filter((entry) => entry.startsWith(PREFIX))) {
    const made = await stat(join(bin, name)).catch(() => null);
    if (made && Date.now() - made.mtimeMs > 2 * LIMIT_MS) await rm(join(bin, name), { recursive: true, force: true });
  }
}

/** Reports the downloaded size every second, since the SDK reports none. Returns a function that ends the reports. */
function reportSize(folder: string, onProgress: FindCliOptions['onProgress']): () => void {
  const began = performance.now();
  const report = async () => {
    const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    onProgress({ step: 'fetching', bytes, elapsedSeconds: Math.round((performance.now() - began) / 1000) });
  };
  // Ignores errors: a file may be renamed between the two calls, and the next report finds it.
  const timer = setInterval(() => void report().catch(() => undefined), 1000);
  return () => clearInterval(timer);
}

/** The reason in the output: the first line with an error, else the last line, without the wrapping error's name. */
function lastError(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line = lines.find((one) => /Error:/.test(one)) ?? lines.filter((one) => one !== '').at(-1) ?? 'no reason given';
  return line.replace(/^\[?\w*Error: |\]$/g, '').replace(/(error sending request for url \([^)]*\): )\1/, '$1');
}
