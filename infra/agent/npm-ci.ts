import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { killWithParent } from '../process/kill-with-parent.ts';
import { PLAIN_OUTPUT } from '../plain-output.ts';
import { IndexUnreachableError } from '../python/uv.ts';
import { reportGrowth, sizeOfTree } from '../report-growth.ts';
import { installEnvironment } from '../trainer/tool-environment.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Last lines of npm's output in an error. */
const ERROR_LINES = 8;
const UNREACHABLE = /npm error code (ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E5\d\d|UNABLE_TO|CERT_)/;
/** npm's settings of the registry, which npm itself also sets for its scripts. */
const SETTINGS =
  /^(npm_config_((user|global)config|registry|cache|ca|cafile|(https_)?proxy|noproxy|\/\/.*)|NODE_EXTRA_CA_CERTS)$/i;

/** Installs the packages of a folder's lock, with their hashes and without their scripts. */
export async function npmCi(
  folder: string,
  { env, tell, signal }: { env: Env; tell: (line: string) => void; signal?: AbortSignal },
): Promise<void> {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const settings = Object.fromEntries(Object.entries(env).filter(([name]) => SETTINGS.test(name)));
  const own = { ...installEnvironment(env), ...settings, ...PLAIN_OUTPUT };
  const child = spawn('npm', args, { cwd: folder, env: own, stdio: ['ignore', 'ignore', 'pipe'] });
  const untie = killWithParent(child, signal);
  const stopReports = reportGrowth({ what: 'still installing', size: () => sizeOfTree(folder), tell });
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error('expected npm on the PATH, found none: install the npm that comes with Node');
    })
    .finally(() => {
      stopReports();
      untie();
    });
  signal?.throwIfAborted();
  if (code === 0) return;
  const last = lines
    .filter((line) => !line.includes('A complete log of this run'))
    .slice(-ERROR_LINES)
    .join('\n');
  if (!UNREACHABLE.test(last)) throw new Error(`npm ci failed in ${folder}:\n${last}`);
  throw new IndexUnreachableError(
    `expected npm to reach its registry; it failed:\n${last}\n` +
      'Check the network, or set a mirror: npm config set registry URL',
  );
}
