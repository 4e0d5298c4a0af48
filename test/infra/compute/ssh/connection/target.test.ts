import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveTargets, type SshAddress } from '../../../../../infra/compute/ssh/connection/target.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-target-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const configFile = join(folder, 'config');
writeFileSync(
  configFile,
  `Host gpu*
  HostName %h.lab.example
  User ada
  Port 2200
  IdentityFile ~/.ssh/lab
  IdentityFile %d/keys/%r
  UserKnownHostsFile ~/.ssh/known_lab
  GlobalKnownHostsFile /etc/known_lab
  ProxyJump eve@gate:2201,inner
Host named
  HostKeyAlias the-key
`,
);

describe.skipIf(spawnSync('ssh', ['-V']).error !== undefined)('the list of targets up to a host', () => {
  it('is read from the config as ssh reads it', async () => {
    const targets = await resolveTargets('box', { address: 'gpu1', configFile, agent: '/agent' });
    expect(targets).toMatchObject([
      { address: 'gate', port: 2201, user: 'eve', knownName: '[gate]:2201', agent: '/agent' },
      { address: 'inner', port: 22, knownName: 'inner' },
      {
        address: 'gpu1.lab.example',
        port: 2200,
        user: 'ada',
        agent: '/agent',
        keyNamed: false,
        keyFiles: [join(homedir(), '.ssh/lab'), join(homedir(), 'keys/ada')],
        knownHosts: [join(homedir(), '.ssh/known_lab'), '/etc/known_lab'],
      },
    ]);
  });

  it('prefers the options of the caller to the config', async () => {
    const given = {
      address: 'gpu1',
      configFile,
      port: 22,
      user: 'bob',
      keyFile: '~/k',
      knownHosts: ['~/h'],
      jump: 'none',
    };
    expect(await resolveTargets('box', given)).toMatchObject([
      { port: 22, user: 'bob', keyFiles: [join(homedir(), 'k')], keyNamed: true, knownHosts: [join(homedir(), 'h')] },
    ]);
    expect(await resolveTargets('box', { address: 'named', configFile })).toMatchObject([{ knownName: 'the-key' }]);
  });

  it('has for a jump host the key of the config first, and the key of the final host last', async () => {
    const file = join(folder, 'jump config');
    writeFileSync(file, 'Host gate\n  IdentityFile ~/.ssh/gate\n');
    const given = { address: 'box', keyFile: '~/k', jump: 'gate,plain', configFile: file };
    const [gate, plain, box] = await resolveTargets('box', given);
    expect(gate?.keyFiles).toEqual([join(homedir(), '.ssh/gate'), join(homedir(), 'k')]);
    // The config names no key for `plain`: the usual files come after the key of the host.
    expect(plain?.keyFiles[0]).toBe(join(homedir(), 'k'));
    expect(box?.keyFiles).toEqual([join(homedir(), 'k')]);
    expect([gate?.keyNamed, plain?.keyNamed, box?.keyNamed]).toEqual([false, false, true]);
  });

  it('includes the jump hosts of the first jump host, by the config, and none of the others', async () => {
    const file = join(folder, 'chain config');
    writeFileSync(
      file,
      'Host gate\n  ProxyJump outer:2222\nHost outer\n  User eve\n' +
        'Host inner\n  ProxyJump elsewhere\nHost box\n  ProxyJump gate,inner\n',
    );
    const targetsOf = async (given: SshAddress) =>
      (await resolveTargets('box', { configFile: file, ...given })).map(({ address, port }) => `${address}:${port}`);
    expect(await targetsOf({ address: 'box' })).toEqual(['outer:2222', 'gate:22', 'inner:22', 'box:22']);
    expect(await targetsOf({ address: 'box', jump: 'gate' })).toEqual(['outer:2222', 'gate:22', 'box:22']);
    expect(await targetsOf({ address: 'box', jump: 'inner' })).toEqual(['elsewhere:22', 'inner:22', 'box:22']);
    // Each target has its own keys and user; the key of the host is offered to all of them.
    const targets = await resolveTargets('box', { address: 'box', keyFile: '~/k', configFile: file });
    expect(targets[0]).toMatchObject({ user: 'eve', keyNamed: false });
    expect(targets.map(({ keyFiles }) => keyFiles[0])).toEqual(targets.map(() => join(homedir(), 'k')));
  });

  it('is refused if jump hosts lead to each other, with what to do', async () => {
    const file = join(folder, 'circle config');
    writeFileSync(file, 'Host gate\n  ProxyJump inner\nHost inner\n  ProxyJump gate\nHost *\n  ProxyJump loop\n');
    for (const [jump, through] of [
      ['gate', 'gate, then through inner, then through gate'],
      ['loop', 'loop'],
    ] as const)
      await expect(resolveTargets('box', { address: 'box', jump, configFile: file })).rejects.toMatchObject({
        name: 'HostConfigError',
        message: expect.stringMatching(new RegExp(`^host box: .*through ${through}, ….*ProxyJump none`)) as string,
      });
  });

  it("has the user's own agent, unless the config or the fleet names another, or none", async () => {
    const file = join(folder, 'agent config');
    writeFileSync(file, 'Host named\n  IdentityAgent ~/sock\nHost silent\n  IdentityAgent none\n');
    const agentOf = async (given: SshAddress) =>
      (await resolveTargets('box', { configFile: file, ownAgent: '/own', ...given })).map(({ agent }) => agent);
    expect(await agentOf({ address: 'box', jump: 'gate' })).toEqual(['/own', '/own']);
    expect(await agentOf({ address: 'named', jump: 'silent' })).toEqual([undefined, join(homedir(), 'sock')]);
    expect(await agentOf({ address: 'silent', agent: '/of/fleet' })).toEqual(['/of/fleet']);
    expect(await agentOf({ address: 'named', agent: 'none' })).toEqual([undefined]);
  });

  it('is refused for an address that is an option, and for an invalid jump host', async () => {
    await expect(resolveTargets('box', { address: '-oProxyCommand=x', configFile })).rejects.toMatchObject({
      name: 'HostConfigError',
    });
    await expect(resolveTargets('box', { address: 'a', configFile, jump: 'x:y:z' })).rejects.toMatchObject({
      name: 'HostConfigError',
    });
  });
});
