import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { packInto } from '../support/pack.ts';
import { removeInUse } from '../support/process/remove-in-use.ts';
import { testCli, throwawayHome } from '../support/servers.ts';

/** Errors of npm without a network. */
const NO_REGISTRY = /\b(EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

const top = await throwawayHome();
chmodSync(top, 0o755);
/** A prefix with a blank, as in home folders of people. */
const prefix = join(top, 'in stalled');
const program = join(prefix, 'bin', 'perpetua');
const home = join(top, 'user');
mkdirSync(home);
/** User without rights who runs what root installed; null if the tests run without rights. */
const nobody = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
if (nobody) chownSync(home, nobody.uid, nobody.gid);

let env: Record<string, string>;
let up: { process: ChildProcess; gone: Promise<unknown[]> } | undefined;
afterAll(async () => {
  if (up) {
    await perpetua(home, 'down', '--now').catch(() => up?.process.kill('SIGKILL'));
    await up.gone;
  }
  execFileSync('chmod', ['-R', 'u+w', top]);
  await removeInUse(top);
});

function idOf(option: string): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}

/** Runs the installed command in a folder, as the user. Returns its standard output. */
async function perpetua(cwd: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd, env, ...nobody })).stdout;
}

/** Installs the packed file as root or as this user, without the install scripts of its dependencies. */
async function installGlobally(file: string): Promise<string | null> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  try {
    await promisify(execFile)('npm', ['install', '--global', '--prefix', prefix, file, ...options], { cwd: top });
    return null;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (NO_REGISTRY.test(stderr)) return 'npm cannot reach its registry';
    throw error;
  }
}

/** Path, size and change time of each file below a folder. */
function listed(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listed(path);
    if (!entry.isFile()) return [path];
    const { size, mtimeMs } = statSync(path);
    return [`${path} ${size} ${mtimeMs}`];
  });
}

/** Starts `perpetua up`, and returns when a line of its output matches. Throws with the output if it ends before. */
async function startUntil(pattern: RegExp): Promise<string> {
  const child = spawn(program, ['up'], { cwd: home, env, ...nobody, stdio: ['ignore', 'pipe', 'pipe'] });
  up = { process: child, gone: once(child, 'exit') };
  const printed: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => printed.push(line));
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (pattern.test(line)) return printed.join('\n');
  }
  throw new Error(`expected a line like ${pattern}, got:\n${printed.join('\n')}`);
}

test('a package in a read-only folder runs the demonstration, and nothing is written below it', async ({ skip }) => {
  const { file } = await packInto(top);
  const reason = await installGlobally(file);
  if (reason !== null) skip(reason);
  execFileSync('chmod', ['-R', 'a-w', prefix]);
  const before = listed(prefix);
  // Copied, since the user may not enter this clone.
  copyFileSync((await testCli()).path, join(top, 'temporal'));
  env = { PATH: process.env.PATH ?? '', HOME: home, TEMPORAL_CLI_PATH: join(top, 'temporal') };

  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  expect(await perpetua(home, '--version')).toBe(`${version}\n`);
  const [, guides = ''] = /^Guides: (.*)$/m.exec(await perpetua(home, '--help')) ?? [];
  expect(readFileSync(guides, 'utf8')).toContain('guides/tasks.md');
  expect(await perpetua(home, 'init', 'my-task')).toContain('next:  perpetua check my-task');

  const printed = await startUntil(/ baseline +completed /);
  expect(printed).toContain(join(home, '.perpetua', 'postgres', 'data'));
  expect(printed).toContain('status    perpetua status nano-lm');
  expect(await perpetua('/', 'status', 'nano-lm')).toContain('nano-lm');
  expect(await perpetua(join(home, 'my-task'), 'check', '.')).toContain('the unmodified workspace ran');

  await perpetua('/', 'down');
  expect(await up?.gone).toEqual([0, null]);
  expect(listed(prefix)).toEqual(before);
});
