import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run, type Ran } from '../cli/support/cli.ts';
import type { TestStack } from './stack.ts';

export interface Live {
  out: () => string;
  told: () => string;
  id: () => string;
  interrupt: () => void;
  ended: Promise<Ran>;
}

/** `perpetua run` with what it writes as it comes. */
export function startCommand(
  { temporalAddress, databaseUrl, home }: Pick<TestStack, 'temporalAddress' | 'databaseUrl' | 'home'>,
  argv: readonly string[],
): Live {
  const interrupted = new AbortController();
  const [out, told] = [[] as string[], [] as string[]];
  const ended = run(['run', ...argv], {
    env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home },
    signal: interrupted.signal,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => told.push(text) },
  });
  return {
    out: () => out.join(''),
    told: () => told.join(''),
    id: () => /the command (\S+);/.exec(told.join(''))?.[1] ?? expect.unreachable('no id was told'),
    interrupt: () => interrupted.abort(),
    ended,
  };
}

export interface Held {
  words: string[];
  release: () => void;
  starts: () => string;
}

/** A command that says that it began, waits for its file, and notes outside the run that it did both. */
export function heldCommand({ home }: Pick<TestStack, 'home'>, name: string): Held {
  const [hold, starts] = [join(home, `hold-${name}`), join(home, `starts-${name}`)];
  writeFileSync(hold, '');
  const script = `echo x >> ${starts}; echo began; while [ -e ${hold} ]; do sleep .1; done; echo went on`;
  return {
    words: ['--', 'sh', '-c', script],
    release: () => rmSync(hold),
    starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8') : ''),
  };
}
