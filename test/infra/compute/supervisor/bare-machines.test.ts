import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { confinements } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { withoutProgram } from '../../../support/machine/without-namespaces.ts';
import { has, isRoot, NOBODY, supervise, type Setting } from './supervise.ts';

const PROGRAMS = ['ip', 'busybox', 'perl'];
/** First words of a command line for which only that program of the three works. */
const withOnly = (program: string): string[] =>
  PROGRAMS.filter((other) => other !== program && has(other)).flatMap(withoutProgram);
/** The rest of a command line, which runs as a user without rights. */
const AS_NOBODY = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
const CONNECT = `node -e '
  const net = require("net");
  const server = net.createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1", () =>
    net.connect(server.address().port, "127.0.0.1")
      .on("data", (text) => { console.log(String(text)); process.exit(); })
      .on("error", (error) => { console.log(error.code); process.exit(); }));
'`;

const [asRoot] = confinements(true, true);
const [ordinary] = confinements(false, true);
if (!asRoot || !ordinary) throw new Error('expected a confinement for root and for an ordinary user');
const setting = { shell: ['sh'], confinement: asRoot, uid: 61_981 };
const works = isRoot && (await supervise(setting, 'exit 9')).end?.exitCode === 9;

/** First words of a command line for which /dev lacks the names of a process's streams. */
const WITHOUT_STREAMS = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'bare=$(mktemp -d) && mount -t tmpfs tmpfs "$bare" && cp -a /dev/null /dev/zero /dev/random /dev/urandom "$bare" ' +
    '&& mount --move "$bare" /dev && rmdir "$bare" && exec "$@"',
  'sh',
];

it.skipIf(!works)('the streams of a run have names, though /dev of the machine has none', async () => {
  const command =
    'ls /dev; echo out >/dev/stdout; echo err >/dev/stderr; cat /dev/stdin; cat /dev/fd/3 3</etc/hostname';
  const { output } = await supervise({ ...setting, within: WITHOUT_STREAMS }, command);
  const host = readFileSync('/etc/hostname', 'utf8');
  expect(output).toBe(`fd\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\nout\nerr\n${host}`);
});

/** First words of a command line for which the machine has a device that is named like a GPU. */
const WITH_GPU = WITHOUT_STREAMS.map((word) =>
  word.replace('&& mount --move', '&& cp -a /dev/null "$bare/nvidia0" $&'),
);
const AROUND_GPU = 'ls /dev/nvidia0; ls -d /sys/class; ls -A /sys/fs/cgroup; echo >/sys/fs/cgroup/f';

it.skipIf(!works).each<[string, Setting]>([
  ['root', { ...setting, within: WITH_GPU }],
  [
    'an ordinary user',
    { ...setting, confinement: ordinary, uid: null, owner: NOBODY, within: [...WITH_GPU, ...AS_NOBODY] },
  ],
])('a run with a GPU sees /sys, but no control groups that it could enter: supervised by %s', async (_, withGpu) => {
  const { output } = await supervise(withGpu, AROUND_GPU);
  expect(output).toMatch(/^\/dev\/nvidia0\n\/sys\/class\n.*cannot create.*Read-only file system\n$/);
});

describe.skipIf(!works)('the loopback of a run, if the machine can make namespaces', () => {
  it.for(PROGRAMS)('is raised by %s', async (program, { skip }) => {
    skip(!has(program), `${program} is not installed`);
    const { output, end } = await supervise({ ...setting, within: withOnly(program) }, CONNECT);
    expect({ output, loopback: end?.loopback }).toEqual({ output: 'reached\n', loopback: true });
  });

  it('is raised by a file of /sys if root has none of these programs', async () => {
    const { output, end, complaints } = await supervise({ ...setting, within: withOnly('') }, CONNECT);
    expect({ output, loopback: end?.loopback, complaints }).toEqual({
      output: 'reached\n',
      loopback: true,
      complaints: '',
    });
  });

  it('stays down if an ordinary user has none of them, and the end says so', async ({ skip }) => {
    const within = [...withOnly(''), ...AS_NOBODY];
    const names = [...AS_NOBODY.slice(1), 'unshare', '--user', '--map-root-user', 'true'];
    skip(spawnSync('setpriv', names).status !== 0, 'this kernel gives ordinary users no namespaces');
    const lacking: Setting = { shell: ['sh'], confinement: ordinary, uid: null, within, owner: NOBODY };
    const { output, end } = await supervise(lacking, CONNECT);
    expect({ output, loopback: end?.loopback }).toEqual({ output: 'ENETUNREACH\n', loopback: false });
  });

  it('is not recorded for a run that shares the network of the machine', async () => {
    const shared = { ...asRoot, namespaces: asRoot.namespaces.replace(' --net', '') };
    const { end } = await supervise({ ...setting, confinement: shared }, 'true');
    expect(end).toMatchObject({ exitCode: 0, sandboxed: true });
    expect(end?.loopback).toBeUndefined();
  });
});
