import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { host, named, SHELLS } from '../support/host-call.ts';

it.each(SHELLS)('a host counts the run directories that a sweep leaves alone (%s)', (shell) => {
  const { base, call, callWith } = host(shell);
  const make = (name: string, { of = 'inst', hours = 0 } = {}): void => {
    const run = join(base, 'runs', of, name);
    mkdirSync(join(run, '1', 'ctl'), { recursive: true });
    utimesSync(run, Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600);
  };
  expect(call('spared', 3600)).toEqual(['spared 0 0 0 0', 'done']);
  make('old.0', { hours: 2 });
  make('old-and-needed.0', { hours: 2 });
  make('young.0');
  make('young-too.0');
  make('theirs.0', { of: 'others', hours: 2 });
  expect(callWith(named('old-and-needed.0', 'not-there.0'), 'spared', 3600)).toEqual(['spared 0 1 2 1', 'done']);
});
