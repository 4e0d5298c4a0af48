import { runCli } from '../../../cli/run-cli.ts';
import type { Io } from '../../../cli/io.ts';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Each line of stdout as JSON. */
  json: () => unknown[];
}

/** An address at which no server listens. */
export const NOWHERE = '127.0.0.1:1';

/** Runs a command line in this process. */
export async function run(argv: string[], more: Partial<Io> = {}): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runCli(argv, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    ...more,
  });
  const lines = () => stdout.split('\n').filter((line) => line !== '');
  return { code, stdout, stderr, json: () => lines().map((line) => JSON.parse(line) as unknown) };
}

/** Runs a command line against a database, with a Temporal address at which no server listens. */
export const runOn = (url: string, argv: string[], more: Partial<Io> = {}): Promise<Ran> =>
  run(argv, { env: { DATABASE_URL: url, TEMPORAL_ADDRESS: NOWHERE, PERPETUA_HOME: '/nonexistent' }, ...more });

/** Lines of stderr other than those of the plan that `start` prints. */
export const otherThanPlan = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('plan: '));
