import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeTree } from '../../infra/remove-tree.ts';
import { otherThanPlan, run, type Ran } from '../cli/support/cli.ts';
import { blocksOf, readDoc } from '../docs/tables.ts';
import { untilStopped } from '../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

const user = mkdtempSync(join(tmpdir(), 'perpetua-tls-'));
const [certificates = '', settings = ''] = blocksOf(await readDoc('docs/guides/shared-machine.md'), 'sh');
const inShell = (script: string): string =>
  execFileSync('sh', ['-ec', script], { encoding: 'utf8', env: { HOME: user, PATH: '/usr/bin:/bin' }, stdio: 'pipe' });

let stack: TestStack;
let frontend: Server;
/** Variables that the lines of the guide export, with the address that this server got. */
let exported: Record<string, string>;

/** Puts a server that requires a client certificate in front of Temporal, as the guide sets it up. */
beforeAll(async () => {
  inShell(certificates);
  const read = (name: string): Buffer => readFileSync(join(user, 'perpetua-tls', name));
  stack = await startTestStack();
  const port = Number(new URL(`http://${stack.temporalAddress}`).port);
  const identity = { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem') };
  frontend = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    (incoming) => {
      const outgoing = connect({ host: '127.0.0.1', port });
      for (const socket of [incoming, outgoing]) socket.on('error', () => (incoming.destroy(), outgoing.destroy()));
      incoming.pipe(outgoing).pipe(incoming);
    },
  );
  frontend.on('tlsClientError', () => undefined);
  frontend.listen(0, 'localhost');
  await once(frontend, 'listening');
  const exports = settings.split('\n').filter((line) => line.startsWith('export '));
  const lines = inShell(`${exports.join('\n')}\nenv | grep ^TEMPORAL_`)
    .trim()
    .split('\n');
  exported = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
  exported.TEMPORAL_ADDRESS = `localhost:${(frontend.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await stack.stop();
  frontend.close();
  await removeTree(user);
});

const perpetua = (env: Record<string, string>, ...argv: string[]): Promise<Ran> =>
  run(argv, {
    env: { PATH: '/usr/bin:/bin', DATABASE_URL: stack.databaseUrl, PERPETUA_HOME: stack.home, ...env },
    openingTimeoutMs: 100_000,
  });

test('only their owner can read the keys that the guide makes', () => {
  for (const name of ['ca.key', 'server.key', 'client.key'])
    expect(statSync(join(user, 'perpetua-tls', name)).mode & 0o077).toBe(0);
});

test('a whole research runs if worker and commands have a client certificate', async () => {
  expect(Object.keys(exported).sort()).toEqual([
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'TEMPORAL_TLS_CLIENT_CERT_PATH',
    'TEMPORAL_TLS_CLIENT_KEY_PATH',
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  ]);
  await stack.startWorker({ slots: 1, env: exported });
  const task = await writeTask(join(stack.home, 'tasks', 'kept'), { task: { name: 'kept' } });
  const { code, stderr } = await perpetua(exported, 'start', task, '--budget-trials', '2');
  expect({ code, problems: otherThanPlan(stderr) }).toEqual({ code: 0, problems: [] });
  await untilStopped(stack, 'kept');
  const trials = await stack.query(`select status from trials where research_id = 'kept' order by n`);
  expect(trials.slice(0, 2)).toEqual([{ status: 'completed' }, { status: 'completed' }]);
  const { findings } = (await perpetua(exported, 'doctor', '--json')).json()[0] as {
    findings: { name: string; status: string; found: string }[];
  };
  const findingOf = (name: string) => findings.find((finding) => finding.name === name);
  expect(findingOf('temporal')).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(/^server .* at localhost:/) as unknown,
  });
  expect(findingOf('users')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('a certificate') as unknown,
  });
});

test.each([
  ['no certificate', ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH']],
  [
    'no TLS at all',
    ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  ],
])('a command with %s fails and names the address that it could not reach', async (_, missing) => {
  const env = Object.fromEntries(Object.entries(exported).filter(([name]) => !missing.includes(name)));
  const { code, stderr } = await perpetua(env, 'stop', 'kept');
  expect(code).toBe(3);
  expect(stderr).toContain(exported.TEMPORAL_ADDRESS ?? '');
});
