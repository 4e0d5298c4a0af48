import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run, type Ran } from '../../cli/support/cli.ts';
import type { TestStack } from '../stack.ts';

/** A `perpetua run` under way, with its output so far. */
export interface LiveRun {
  stdout: () => string;
  stderr: () => string;
  id: () => string;
  interrupt: () => void;
  ended: Promise<Ran>;
}

export function liveRun({ temporalAddress, databaseUrl, home }: TestStack, argv: string[]): LiveRun {
  const interrupted = new AbortController();
  const [out, err] = [[] as string[], [] as string[]];
  const ended = run(['run', ...argv], {
    env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home },
    signal: interrupted.signal,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return {
    stdout: () => out.join(''),
    stderr: () => err.join(''),
    id: () => /the (?:command|server) (\S+);/.exec(err.join(''))?.[1] ?? expect.unreachable('no id was printed'),
    interrupt: () => interrupted.abort(),
    ended,
  };
}

/** Run directories of a home whose names are ours. */
export const runDirectories = ({ home }: TestStack, isOurs: (name: string) => boolean): string[] =>
  readdirSync(join(home, 'runs'), { recursive: true })
    .map(String)
    .filter((path) => path.split('/').length === 2 && isOurs(path.split('/')[1] ?? ''));

/** Expects no open job of any kind, no held slot, and no run under way. */
export async function expectJobsClosed({ query }: Pick<TestStack, 'query'>): Promise<void> {
  const [row] = await query(
    `select (select count(*)::int from jobs where ended_at is null) as open,
      (select count(*)::int from slots where state = 'leased') as leased,
      (select count(*)::int from runs where ended_at is null) as running`,
  );
  expect(row).toEqual({ open: 0, leased: 0, running: 0 });
}
