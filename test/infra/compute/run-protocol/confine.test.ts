import { expect, test } from 'vitest';
import { SandboxUnavailableError, type SandboxMode } from '../../../../infra/compute.ts';
import { confine } from '../../../../infra/compute/run-protocol/confine.ts';
import { PROCESS_GROUP, type Confinement } from '../../../../infra/compute/run-protocol/confinement.ts';
import type { RunHost } from '../../../../infra/compute/run-protocol/run-host.ts';

const slot = { id: 'far/0', pool: 'far', index: 0, gpu: null };

/** The confinement of a run on a host that has this one, and no other. */
function confined(has: Partial<Confinement>, sandbox: SandboxMode) {
  const asked: boolean[] = [];
  const host: RunHost = {
    ...{ host: 'far', installation: 'i', remote: true, path: '/bin', isRoot: () => Promise.resolve(true) },
    confinement: (wanted) => {
      asked.push(wanted);
      return Promise.resolve({ ...PROCESS_GROUP, ...has });
    },
  };
  return confine(host, { sandbox, slot }).then(({ uid }) => ({ asked, hasUser: uid !== null }));
}

test.each([
  ['can make no namespaces', {}, /only root can give a run a user of its own/],
  ['has a user for it, and an open network', { ownUid: true }, /did not get the filter .* \(install perl;/],
])('a run that requires a sandbox is refused by a host that %s', async (_, has, lack) => {
  const refused = confined(has, 'required');
  await expect(refused).rejects.toBeInstanceOf(SandboxUnavailableError);
  await expect(refused).rejects.toThrow(
    /^sandbox: required, but host far cannot keep a run from its network .*: it makes no namespaces .*give root the right CAP_SYS_ADMIN/,
  );
  await expect(refused).rejects.toThrow(lack);
  await expect(refused).rejects.toThrow('sandbox: preferred');
});

test.each([
  ['a sandbox', { sandboxed: true, networkClosed: true }, 'required', { asked: [true], hasUser: false }],
  [
    'a user of its own and a closed network',
    { ownUid: true, networkClosed: true },
    'required',
    { asked: [true], hasUser: true },
  ],
  ['nothing, where it is preferred', {}, 'preferred', { asked: [true], hasUser: false }],
  ['nothing, where none is wanted', {}, 'none', { asked: [false], hasUser: false }],
] as const)('a run is taken by a host that has %s', async (_, has, sandbox, expected) => {
  expect(await confined(has, sandbox)).toEqual(expected);
});
