import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { has } from '../infra/compute/supervisor/supervise.ts';
import { eventsOf, followToEnd, specOf } from '../infra/compute/conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-loopback-'));
const compute = createLocalCompute({ home, installation: 'loopback' });
const { sandboxed, notes, exposure } = await compute.protections('required');
/** Name of an abstract Unix socket: it has no file, and every process of the network namespace can reach it. */
const ABSTRACT = `perpetua-attack-${process.pid}`;

/** Connects by TCP, and prints `reached` or the code of the error. */
const connect = (host: string, port: number): string => `node -e '
  require("net").connect(${port}, "${host}")
    .on("connect", () => { console.log("reached"); process.exit(); })
    .on("error", (error) => { console.log(error.code); process.exit(); });
'`;
const listenAbstract = `socket my $socket, 1, 1, 0; bind $socket, pack "S a*", 1, "\\0${ABSTRACT}" or die;
  listen $socket, 5; $| = 1; print "up\\n"; sleep 600`;
const connectAbstract = `perl -e '
  socket my $socket, 1, 1, 0 or die;
  print connect($socket, pack "S a*", 1, "\\0${ABSTRACT}") ? "reached\\n" : "$!\\n";
'`;
const here = (command: string): string => spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout;

describe.skipIf(!sandboxed)(`a candidate that has a loopback of its own (${notes.join(' ')})`, () => {
  const server = createServer((socket) => socket.end());
  let port = 0;
  /** Output of a command of the candidate. */
  const inside = async (command: string): Promise<string> => {
    const spec = specOf(command, { sandbox: 'required' });
    await compute.launch(spec);
    return (await followToEnd(compute, spec)).text;
  };

  beforeAll(async () => {
    await compute.stage('stage1', []);
    // Every address of this machine, by IPv4 and IPv6.
    server.listen(0);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.close();
    await removeTree(home);
  });

  it('is described as such', () => expect(exposure).toContain('it reaches no network beyond its own loopback'));

  it('reaches no server of this machine, at any of its addresses', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const global = addresses.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
    for (const host of new Set(['127.0.0.1', '0.0.0.0', ...global])) {
      // The control: the server can be reached from outside the sandbox.
      expect([host, here(connect(host, port))]).toEqual([host, 'reached\n']);
      const isOwn = /^(127\.|0\.|::1$)/.test(host);
      const refusal = isOwn ? 'ECONNREFUSED\n' : expect.stringMatching(/^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH)\n$/);
      expect([host, await inside(connect(host, port))]).toEqual([host, refusal]);
    }
  });

  it.skipIf(!has('perl'))('reaches no abstract socket of this machine', async () => {
    const listening = spawn('perl', ['-e', listenAbstract], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(listening.stdout, 'data');
    // The control: the socket can be reached from outside the sandbox.
    expect(here(connectAbstract)).toBe('reached\n');
    const text = await inside(connectAbstract);
    listening.kill('SIGKILL');
    expect(text).toBe('Connection refused\n');
  });

  it.each(['169.254.169.254', '192.0.2.1', '255.255.255.255', 'fe80::1%lo', '2001:db8::1'])(
    'reaches nothing at %s',
    async (address) => {
      expect(await inside(connect(address, 80))).toMatch(
        /^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH|ECONNREFUSED|EINVAL|EACCES)\n$/,
      );
    },
  );

  it('has no interface but the loopback, and cannot add addresses, routes, interfaces or raw sockets', async () => {
    const tries = [
      'link add veth0 type veth',
      'addr add 10.9.8.7/8 dev lo',
      'route add default dev lo',
      'link set lo down',
    ];
    const sockets = ['17, 3, 768', '2, 3, 1', '10, 3, 58'].map(
      (words) => `perl -e 'print socket(my $s, ${words}) ? "raw " : ""'`,
    );
    const changes = tries.map((words) => `ip ${words} 2>/dev/null && echo changed`);
    const text = await inside(
      `${[...changes, ...sockets].join('; ')}; node -p 'Object.entries(os.networkInterfaces()).flatMap(
        ([name, all]) => all.map(({ address }) => name + " " + address)).sort().join()'; cat /proc/net/route`,
    );
    // The table of routes has its title alone.
    expect(text).toMatch(/^lo 127\.0\.0\.1(,lo ::1)?\nIface\t.*\n$/);
  });

  it('reaches no server of another run', async () => {
    const serving = specOf(
      `exec node -e 'require("net").createServer().listen(4444, "127.0.0.1", () => console.log("up"))'`,
      { sandbox: 'required', slot: { id: 'slot-1', pool: 'local', index: 1, gpu: null } },
    );
    await compute.launch(serving);
    for await (const event of eventsOf(compute, serving)) if (event.type === 'output') break;
    const text = await inside(connect('127.0.0.1', 4444));
    await compute.kill(serving, serving.fence);
    expect(text).toBe('ECONNREFUSED\n');
  });
});
