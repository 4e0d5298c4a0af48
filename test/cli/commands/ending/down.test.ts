import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identify } from '../../../../infra/process/identity.ts';
import { run } from '../../support/cli.ts';

let home: string;
const children: ChildProcess[] = [];
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'perpetua-down-'))));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(home, { recursive: true });
});
const down = (...more: string[]) => run(['down', ...more], { env: { PERPETUA_HOME: home, PATH: '/usr/bin:/bin' } });

function start(program: string, ...words: string[]): ChildProcess {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}
const idOf = ({ pid = 0 }: ChildProcess) => identify(pid) ?? { pid, startedAt: 'gone' };

test('down without a running stack says so, and exits with 0', async () => {
  expect(await down()).toMatchObject({ code: 0, stdout: `no stack runs in ${home}: there is nothing to stop\n` });
  const ran = await down('--json');
  expect([ran.code, ran.json()]).toEqual([0, [{ home, stopped: false }]]);
});

test.each([
  [[], 1],
  [['--now'], 2],
])(
  'down signals the process that holds the stack, as Ctrl-C does, and waits until it is gone (%j)',
  async (more, signals) => {
    // The holder ends after so many signals, and takes a moment for it.
    const holder = start(
      process.execPath,
      '-e',
      `let n = 0; process.on('SIGTERM', () => ++n === ${signals} && setTimeout(() => process.exit(), 300));
    setInterval(() => {}, 1000); console.log('ready')`,
    );
    await once(holder.stdout ?? holder, 'data');
    const owner = idOf(holder);
    writeFileSync(join(home, 'up.lock'), JSON.stringify({ ...owner, since: '2026-11-28T00:00:00Z' }));
    const ran = await down('--json', ...more);
    expect(ran.json()).toEqual([{ home, stopped: true, pid: owner.pid, goingOn: null, killed: 0 }]);
    expect(identify(owner.pid)).toBeUndefined();
  },
);

test('down stops the leftovers of a killed `perpetua up`, too', async () => {
  const [temporal, postgres] = [start('sleep', '4872'), start('sleep', '4872')];
  const at = { address: '127.0.0.1:1', namespace: 'default', uiUrl: null };
  const state = {
    version: 1,
    owner: { pid: 2 ** 22, startedAt: 'gone' },
    writtenAt: '',
    workers: [],
    temporal: { ...at, embedded: { ...idOf(temporal), cli: '1', serverVersion: '1' } },
    postgres: { url: 'postgres://127.0.0.1:1/x', embedded: { ...idOf(postgres), dataDir: '/d', serverVersion: '18' } },
  };
  writeFileSync(join(home, 'up.json'), JSON.stringify(state));
  expect((await down()).stdout).toBe(
    `stopped the stack in ${home} (the leftovers of a killed \`perpetua up\`)\n` +
      'start it again: npx perpetua up (or npm start)\n',
  );
  expect([temporal, postgres].map(({ pid = 0 }) => identify(pid))).toEqual([undefined, undefined]);
  expect(existsSync(join(home, 'up.json'))).toBe(false);
});
