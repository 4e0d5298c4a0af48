import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SshOptions } from '../../../../../infra/compute/ssh.ts';
import { startAgent, type TestAgent, withAgent } from '../../../../support/machine/ssh-agent.ts';
import { makeKey, noSshd, type Sshd } from '../../../../support/machine/sshd.ts';
import { specOf } from '../../conformance/support.ts';
import { addressOf, testHosts } from '../support/hosts.ts';

const { start, open } = testHosts();

describe.skipIf(noSshd !== undefined)(`the keys of an agent ${noSshd ?? ''}`, () => {
  let host: Sshd;
  let agent: TestAgent;
  /** Path of a key that only the agent holds, after two keys that the host does not accept. */
  let good: string;
  beforeAll(async () => {
    // The host closes the connection after the second refused key.
    host = await start({ config: ['MaxAuthTries 2'] });
    agent = await startAgent(host.folder);
    for (const name of ['stranger', 'other stranger']) {
      makeKey(join(host.folder, name));
      agent.add(join(host.folder, name));
    }
    good = join(host.folder, 'good');
    appendFileSync(join(host.folder, 'authorized'), `${makeKey(good)}\n`);
    agent.add(good);
    rmSync(good);
  });
  afterAll(() => agent.stop());

  let configs = 0;
  /** Logs in with an ssh config of these lines. */
  const login = (lines: string[], more: Partial<SshOptions> = {}) => {
    const configFile = join(host.folder, `config ${(configs += 1)}`);
    writeFileSync(configFile, ['Host *', ...lines, ''].join('\n  '));
    const { address, port, user, knownHosts } = addressOf(host);
    const options = { address, port, user, knownHosts, configFile, ownAgent: agent.socket, patienceSeconds: 0 };
    return open({ ...options, installation: 'ssh-tests', host: 'box', ...more }).inspect(specOf('true'));
  };
  const nowhere = 'IdentityFile /nowhere/key';
  const quoted = (file: string): string => `IdentityFile "${file}"`;
  const IN = { state: 'absent' };

  it("open a host by the user's own agent, whose keys lie nowhere else", async () => {
    const key = join(host.folder, 'only there');
    appendFileSync(join(host.folder, 'authorized'), `${makeKey(key)}\n`);
    await withAgent(host.folder, async (userAgent) => {
      userAgent.addAndDelete(key);
      const options = { ownAgent: userAgent.socket };
      expect(await login([nowhere], options)).toEqual(IN);
      expect(await login([nowhere, 'IdentityAgent SSH_AUTH_SOCK'], options)).toEqual(IN);
      expect(await login([nowhere, 'IdentityAgent none'], { agent: userAgent.socket })).toEqual(IN);
    });
  });

  it('are not used if the config or the fleet says so', async () => {
    const refused = { name: 'HostAuthError', message: expect.stringContaining('tried: none.') as string };
    await expect(login([nowhere, 'IdentityAgent none'])).rejects.toMatchObject(refused);
    await expect(login([nowhere], { agent: 'none' })).rejects.toMatchObject(refused);
  });

  it('are offered in the order in which the user names them, before the host has had too many', async () => {
    await expect(login([nowhere])).rejects.toMatchObject({ name: 'HostAuthError' });
    expect(await login([quoted(good)])).toEqual(IN);
    expect(await login([nowhere], { keyFile: `${good}.pub` })).toEqual(IN);
  });

  it('are not offered with IdentitiesOnly if no identity file names them', async () => {
    const error = await login([quoted(join(host.folder, 'nothing')), 'IdentitiesOnly yes']).catch(
      (why: unknown) => why,
    );
    expect(error).toMatchObject({ name: 'HostAuthError' });
    expect((error as Error).message).toContain('refused every key');
    expect(await login([quoted(good), 'IdentitiesOnly yes'])).toEqual(IN);
  });

  it('are not offered a second time after their files', async () => {
    expect(await login([quoted(join(host.folder, 'stranger')), quoted(good)])).toEqual(IN);
    await expect(login([quoted(join(host.folder, 'stranger')), 'IdentitiesOnly yes'])).rejects.toMatchObject({
      message: expect.stringContaining('refused every key') as string,
    });
  });

  it('replace a named key file that has a passphrase', async () => {
    const key = join(host.folder, 'locked');
    appendFileSync(join(host.folder, 'authorized'), `${makeKey(key)}\n`);
    agent.add(key);
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret', '-f', key]);
    expect(await login([nowhere], { keyFile: key })).toEqual(IN);
  });

  it('are named among the tried ones if no agent answers at the socket', async () => {
    const key = join(host.folder, 'stranger');
    const error = await login([quoted(key)], { ownAgent: '/nowhere/agent' }).catch((why: unknown) => why);
    expect(error).toMatchObject({ name: 'HostAuthError' });
    expect((error as Error).message).toContain(`tried: ${key}, the agent at /nowhere/agent, which failed (`);
  });
});
