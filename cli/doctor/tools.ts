import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, missing, ok, remark } from './finding.ts';

/** Returns the first line that a program prints; null if the program is missing or fails. */
async function ask(program: string, args: string[], path: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      timeout: 10_000,
      env: { PATH: path, HOME: '/nonexistent' },
    });
    return stdout.split('\n')[0]?.trim() ?? '';
  } catch {
    return null;
  }
}

export async function checkNode(version: string): Promise<Finding> {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 3)) return ok('node', version);
  return missing('node', version, 'install Node 20.3 or newer');
}

export async function checkGit(path: string): Promise<Finding> {
  const found = await ask('git', ['--version'], path);
  return found
    ? ok('git', found.replace('git version ', ''))
    : remark('git', 'none', 'only needed by `npx perpetua git`, and to update a clone');
}

/** Checks Go, which is needed only if a Temporal server must be built. */
export async function checkGo(path: string): Promise<Finding> {
  const found = await ask('go', ['version'], path);
  const [, minor] = /go1\.(\d+)/.exec(found ?? '') ?? [];
  if (!found) return remark('go', 'none', 'Go 1.21 or newer builds a Temporal server if none can be downloaded');
  const version = found.replace('go version ', '');
  return Number(minor) >= 21
    ? ok('go', version)
    : remark('go', version, 'too old to build a Temporal server: 1.21 or newer');
}

/** Programs of util-linux that the sandbox needs, besides user namespaces or root. */
const SANDBOX_TOOLS = ['unshare', 'setpriv', 'mount'];

/** Returns the programs of the sandbox that are not on a PATH. */
export async function absentSandboxTools(path: string): Promise<string[]> {
  const found = await Promise.all(SANDBOX_TOOLS.map((tool) => ask(tool, ['--version'], path)));
  return SANDBOX_TOOLS.filter((_, index) => found[index] === null);
}
