import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseFleet, readFleet } from '../../../cli/fleet/read-fleet.ts';
import { packageRoot } from '../../../config/paths.ts';

const GOOD = `pools:
  gpu: { slots: gpu }
  cpu: { slots: cpu, cores: 2 }
hosts:
  - name: a
    pool: gpu
  - name: b
    pool: cpu
`;

test('a fleet has defaults for missing keys', () => {
  const [first] = parseFleet(GOOD).hosts;
  expect(first).toEqual({
    name: 'a',
    pool: 'gpu',
    hostKey: 'strict',
    gpus: 'auto',
    readable: [],
    env: {},
    labels: [],
    lostAfterSeconds: 600,
    keepDays: 14,
    cacheGb: 50,
  });
});

test('a fleet may have no hosts, which removes the last ones', () => {
  expect(parseFleet('pools: {}\nhosts: []\n').hosts).toEqual([]);
});

test('the examples of the guide are fleets', async () => {
  const guide = await readFile(join(packageRoot(), 'docs/guides/fleet.md'), 'utf8');
  const examples = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = '']) => parseFleet(yaml));
  expect(examples.map(({ hosts }) => hosts.map(({ name }) => name))).toEqual([
    ['box', 'a100-1'],
    ['node1', 'node2', 'node3'],
  ]);
});

test.each([
  ['nothing', '', 'fleet.yaml: expected a fleet, got an empty file'],
  [
    'a key that is not known',
    GOOD.replace('    pool: gpu', '    pol: gpu'),
    'fleet.yaml:6:5 hosts[0].pol: the key is not known',
  ],
  ['a wrong type', GOOD.replace('cores: 2', 'cores: two'), 'fleet.yaml:3:29 pools.cpu.cores: expected a whole number'],
  ['a key twice', `${GOOD}hosts: []\n`, 'fleet.yaml:9:1 expected each key once, got hosts again'],
  [
    'a name twice',
    GOOD.replace('name: b', 'name: a'),
    'hosts[1].name: expected each name once, got a, which hosts[0] has, too; rename one',
  ],
  [
    "a scratch folder among the system's",
    GOOD.replace('    pool: gpu', '    pool: gpu\n    scratch: /usr/b4'),
    "hosts[0].scratch: expected a folder of your own, not one of the system's",
  ],
  [
    'a readable folder that every sandbox has of its own',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    readable: [/data, /proc]'),
    'hosts[0].readable[1]: expected a folder other than /, /dev, /proc, /sys and /tmp',
  ],
  [
    'NUL in an environment',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    env: { A: "a\\0b" }'),
    'hosts[0].env.A: expected a text without NUL',
  ],
  ...[
    ['NUL in an address', 'address: "10.0\\0.0.1"', 'address'],
    ['an escape in a user', 'user: "eve\\e[31m"', 'user'],
    ['a line end in a key file', 'keyFile: "key\\n"', 'keyFile'],
    ['a tab in a jump host', 'jump: "gate\\t"', 'jump'],
    ['NUL in a file of known hosts', 'knownHosts: ["a\\0"]', 'knownHosts[0]'],
    ['NUL in the name of a GPU', 'gpus: [0, "GPU-\\0"]', 'gpus[1]'],
    ['a line end in a scratch folder', 'scratch: "/data\\n"', 'scratch'],
    ['NUL in a folder to read', 'readable: ["/data\\0"]', 'readable[0]'],
    ['half a character in a PATH', 'path: "/\\ud83d"', 'path'],
  ].map(([title = '', line = '', key = '']) => [
    title,
    GOOD.replace('    pool: gpu', `    pool: gpu\n    ${line}`),
    `hosts[0].${key}: expected a text without control characters`,
  ]),
  [
    'NUL in a name',
    GOOD.replace('name: a', 'name: "a\\0"'),
    'hosts[0].name: expected a name of letters, digits, dot, dash and underscore',
  ],
  [
    'an unknown pool',
    GOOD.replace('pool: cpu', 'pool: cpus'),
    'hosts[1].pool: expected a pool of this file, got the text "cpus"; did you mean cpu?',
  ],
  [
    'our own pool',
    GOOD.replace('  cpu: {', '  local: {').replace('pool: cpu', 'pool: local'),
    'pools.local: expected another name than local',
  ],
  [
    'slots per GPU where slots are cores',
    GOOD.replace('cores: 2', 'perGpu: 2'),
    'pools.cpu.perGpu: expected nothing unless slots is gpu',
  ],
  [
    'memory of a slot that is a GPU',
    GOOD.replace(/slots: gpu,?/, 'slots: gpu, memoryMb: 4096,'),
    '.memoryMb: expected nothing unless slots is cpu',
  ],
  [
    'GPUs in a pool of cores',
    `${GOOD}    gpus: [0]\n`,
    'hosts[1].gpus: expected no GPUs in a pool whose slots are cores (cpu)',
  ],
  [
    'a number of slots in a pool of GPUs',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    slots: 2'),
    'hosts[0].slots: expected nothing unless slots is cpu',
  ],
  [
    'a secret set for the runs of a pool',
    GOOD.replace('cores: 2', 'cores: 2, env: { HF_HOME: /x, OPENAI_API_KEY: k }'),
    'pools.cpu.env.OPENAI_API_KEY: expected a name that Perpetua does not reserve, got the text "OPENAI_API_KEY"',
  ],
  [
    'a name of ours set for the runs of a host',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    env: { PERPETUA_DATA: /data }'),
    'fleet.yaml:7:27 hosts[0].env.PERPETUA_DATA: expected a name that Perpetua does not reserve',
  ],
  [
    'the GPUs of a slot, set by hand',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    env: { CUDA_VISIBLE_DEVICES: "0" }'),
    'got the text "CUDA_VISIBLE_DEVICES"; Perpetua sets it to the GPUs',
  ],
  [
    'a folder of the system under another name',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    scratch: /./usr'),
    "hosts[0].scratch: expected a folder of your own, not one of the system's",
  ],
  [
    'half a fingerprint',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    hostKey: SHA256:abc'),
    'hosts[0].hostKey: expected strict, first-use, or a fingerprint as `ssh-keygen -lf` prints it',
  ],
  [
    'a number for the kind of a slot',
    GOOD.replace('slots: cpu', 'slots: 2'),
    'pools.cpu.slots: expected one of gpu, cpu, host, got the number 2; slots names the kind of slot here;',
  ],
  [
    'hosts without pools',
    'hosts: [{ name: box, pool: gpu }]\n',
    'pools: it is missing; expected a mapping of names to mappings',
  ],
  [
    'a relative scratch folder',
    GOOD.replace('    pool: gpu', '    pool: gpu\n    scratch: tmp'),
    'hosts[0].scratch: expected an absolute path on the host, or one below ~',
  ],
])('is refused with its place: %s', (_, yaml, expected) => {
  expect(() => parseFleet(yaml)).toThrow(/^The fleet is refused/);
  expect(() => parseFleet(yaml)).toThrow(expected);
});

test('a missing file is named', async () => {
  await expect(readFleet('/nowhere/fleet.yaml')).rejects.toThrow(
    'The fleet is refused: /nowhere/fleet.yaml: expected a file with pools and hosts, got no such file; ' +
      'write it, or name another with --file; docs/guides/fleet.md has examples',
  );
});
