import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { noSshd, noUsers } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';

const hosts = testHosts();
const folder = mkdtempSync(join(tmpdir(), 'perpetua-devices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const why = noSshd ?? noUsers;

/** Makes, in its own mount namespace, the devices of WSL and of a partitioned GPU, without a driver behind them. */
const DEVICES = [
  'set -e',
  `mount -t tmpfs tmpfs '${folder}'`,
  `cd '${folder}'`,
  'for node in null zero full random urandom tty ptmx; do cp -a "/dev/$node" .; done',
  'mkdir pts shm nvidia-caps',
  'mount --bind /dev/pts pts',
  'mknod -m 666 dxg c 10 63',
  'mknod -m 666 nvidia0 c 195 0',
  'mknod -m 444 nvidia-caps/nvidia-cap21 c 239 21',
  'mount --bind . /dev',
  'cd /',
  'exec "$@"',
].join('\n');

test.skipIf(why !== undefined)(`a sandbox shows the devices of WSL and of a partitioned GPU ${why ?? ''}`, async () => {
  const enter = ['unshare', '--mount', 'sh', '-c', DEVICES, 'sh'];
  const compute = hosts.connect(await hosts.start({ network: { address: '127.0.0.1', enter } }));
  await compute.stage('devices', [{ path: 'main.txt', content: bytes('') }]);
  const spec = specOf(
    'cd /dev && for f in dxg nvidia0 nvidia-caps/nvidia-cap21; do [ -c $f ] && echo $f; done; echo end',
    {
      stageHash: 'devices',
      sandbox: 'required',
    },
  );
  await compute.launch(spec);
  expect((await followToEnd(compute, spec)).text).toBe('dxg\nnvidia0\nnvidia-caps/nvidia-cap21\nend\n');
});
