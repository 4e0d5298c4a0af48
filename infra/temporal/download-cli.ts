import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type FindCliOptions, PINNED_CLI } from './cli-options.ts';

const LIMIT_MS = 180_000;

// The SDK only downloads by starting a server; in a process of its own it can be given up on.
const SCRIPT = `
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const { Runtime, DefaultLogger } = await import('@temporalio/worker');
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}) });
  const [downloadDir, version] = process.argv.slice(1);
  const executable = { type: 'cached-download', downloadDir, version };
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
`;

/** Lets the SDK download the pinned CLI and keeps it. Throws at once where the download is blocked. */
export async function downloadCli(options: Pick<FindCliOptions, 'keptAt' | 'env' | 'packageRoot'>): Promise<void> {
  const bin = dirname(options.keptAt);
  await mkdir(bin, { recursive: true });
  const folder = await mkdtemp(join(bin, '.download-'));
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, '--', folder, `v${PINNED_CLI}`], {
      cwd: options.packageRoot,
      env: { ...options.env },
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    }).catch((error: Error & { stderr?: string; killed?: boolean }) => {
      if (error.killed) throw new Error(`the SDK's download did not end within ${LIMIT_MS / 1000} s`, { cause: error });
      throw new Error(`the SDK's download failed: ${lastError(error.stderr ?? error.message)}`, { cause: error });
    });
    const [file] = (await readdir(folder)).filter((name) => name.startsWith('temporal'));
    if (!file) throw new Error(`the SDK left no binary in ${folder}`);
    await chmod(join(folder, file), 0o755);
    await rename(join(folder, file), options.keptAt);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The reason without the layers around it: the last line that is an error, and of a chain only its end. */
function lastError(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line = lines.find((one) => /Error:/.test(one)) ?? lines.filter((one) => one !== '').at(-1) ?? 'no reason given';
  return line.replace(/^\[?\w*Error: |\]$/g, '').replace(/(error sending request for url \([^)]*\): )\1/, '$1');
}
