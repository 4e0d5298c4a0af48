import { spawn } from 'node:child_process';
import { killWithParent } from '../process/kill-with-parent.ts';

/** Characters of an agent's output that are kept: the last ones. */
const OUTPUT_CHARACTERS = 20_000;

export interface AgentEnd {
  /** Exit code; null if a signal ended the agent. It says little: some agents exit with 0 on failure. */
  code: number | null;
  /** True if the time limit ended it. */
  timedOut: boolean;
  seconds: number;
  /** The last part of both streams. */
  output: string;
}

interface Place {
  /** The work tree. */
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  seconds: number;
  signal?: AbortSignal;
}

/** Runs an agent's shell command to its end, without a sandbox. Kills all its processes at the time limit. */
export async function runAgent(command: string, { cwd, env, seconds, signal }: Place): Promise<AgentEnd> {
  const limit = AbortSignal.timeout(seconds * 1000);
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const untie = killWithParent(child, signal ? AbortSignal.any([limit, signal]) : limit);
  const began = performance.now();
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-OUTPUT_CHARACTERS)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(untie);
  signal?.throwIfAborted();
  return { code, timedOut: limit.aborted, seconds: (performance.now() - began) / 1000, output };
}
