import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Versions of the parts of a `temporal` binary. */
export interface CliVersion {
  cli: string;
  server: string;
  ui: string;
}

/** Reads the versions of a binary by running it. Throws if it does not run or is another program. */
export async function readCliVersion(path: string): Promise<CliVersion> {
  let output: string;
  try {
    output = (await promisify(execFile)(path, ['--version'], { timeout: 30_000, env: { HOME: '/nonexistent' } }))
      .stdout;
  } catch (error) {
    throw new Error(
      `Expected ${path} to be the temporal command line program, ` +
        `but it does not run: ${(error as Error).message.trim()}`,
      { cause: error },
    );
  }
  const match = /version v?(\S+) \(Server ([^,)\s]+)(?:, UI ([^)\s]+))?\)/i.exec(output);
  if (!match?.[1] || !match[2])
    throw new Error(`Expected ${path} --version to name a Temporal server, got ${JSON.stringify(output.trim())}.`);
  return { cli: match[1], server: match[2], ui: match[3] ?? 'unknown' };
}
