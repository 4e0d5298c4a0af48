import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { specOf } from '../../conformance/support.ts';
import type { SshCompute, SshOptions } from '../../../../../infra/compute/ssh.ts';
import { connectThrough } from '../../../../../infra/compute/ssh/connection/connect.ts';
import { resolveTargets } from '../../../../../infra/compute/ssh/connection/target.ts';
import { withAgent } from '../../../../support/machine/ssh-agent.ts';
import { makeKey, noSshd, type Sshd } from '../../../../support/machine/sshd.ts';
import { packageRoot } from '../../../../../config/paths.ts';
import { addressOf, testHosts } from '../support/hosts.ts';

const { start, connect, open } = testHosts();
const sshd = noSshd === undefined ? await start() : undefined;
const host = (): Sshd => sshd ?? expect.fail('expected an sshd');
const inspect = (more: Partial<SshOptions> = {}, server = host()) =>
  connect(server, { patienceSeconds: 0, ...more }).inspect(specOf('true'));
/** The error of an attempt. */
const refusal = (attempt: Promise<unknown>) =>
  attempt.then(
    () => expect.fail('expected a refusal'),
    (error: Error) => error,
  );
const fileOf = (name: string, text: string): string => {
  const file = join(host().folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};

describe.skipIf(noSshd !== undefined)(`a connection to a host ${noSshd ?? ''}`, () => {
  it('trusts known_hosts, plain or hashed, or a fingerprint', async () => {
    const hashed = fileOf('hashed', readFileSync(host().knownHosts, 'utf8'));
    execFileSync('ssh-keygen', ['-Hf', hashed], { stdio: 'pipe' });
    expect(readFileSync(hashed, 'utf8')).toMatch(/^\|1\|/);
    for (const more of [{}, { knownHosts: [hashed] }, { knownHosts: [], fingerprint: host().fingerprint }])
      expect(await inspect(more)).toEqual({ state: 'absent' });
  });

  it('is refused if the host key is unknown, and the error says what to compare', async () => {
    const error = await refusal(inspect({ knownHosts: ['/nowhere'] }));
    expect(error).toMatchObject({ name: 'HostKeyError', host: 'box' });
    expect(error.message).toContain(host().fingerprint);
    expect(error.message).toContain('ssh-keygen -lf');
    const other = `SHA256:${'x'.repeat(43)}`;
    expect((await refusal(inspect({ fingerprint: other }))).message).toContain(`expected a host key with fingerprint`);
  });

  it('may accept and store the key of a host at first use; it never accepts another key later', async () => {
    const fresh = await start();
    const more = { knownHosts: [join(fresh.folder, 'new folder', 'known')], acceptNew: true };
    expect(await inspect(more, fresh)).toEqual({ state: 'absent' });
    expect(readFileSync(more.knownHosts[0] ?? '', 'utf8')).toBe(
      readFileSync(fresh.knownHosts, 'utf8').replace(/ test$/m, ''),
    );
    expect(await inspect({ ...more, acceptNew: false }, fresh)).toEqual({ state: 'absent' });
    await fresh.stop();
    await fresh.start({ newKey: true });
    expect(await refusal(inspect(more, fresh))).toMatchObject({ name: 'HostKeyError' });
  });

  it('may accept a host at first use if the last line of known_hosts has no newline', async () => {
    const fresh = await start();
    const known = fileOf(
      'left-open',
      readFileSync(host().knownHosts, 'utf8')
        .trimEnd()
        .replace(/ test$/, ''),
    );
    expect(await inspect({ knownHosts: [known], acceptNew: true }, fresh)).toEqual({ state: 'absent' });
    for (const box of [host(), fresh]) expect(await inspect({ knownHosts: [known] }, box)).toEqual({ state: 'absent' });
  });

  it('is refused, and closed, if known_hosts cannot be read or written', async () => {
    const fresh = await start();
    const file = fileOf('no folder', '');
    const unwritten = await refusal(inspect({ knownHosts: [join(file, 'known')], acceptNew: true }, fresh));
    expect(unwritten).toMatchObject({ name: 'HostConfigError', host: 'box' });
    expect(unwritten.message).toContain('no folder');
    await expect.poll(() => fresh.sessions()).toEqual([]);
    expect(await refusal(inspect({ knownHosts: [fresh.folder] }, fresh))).toMatchObject({ name: 'HostConfigError' });
  });

  it('is refused at once if the host key has changed, with what to do', async () => {
    const changed = await start();
    const old = changed.fingerprint;
    await changed.stop();
    await changed.start({ newKey: true });
    const error = await refusal(inspect({ patienceSeconds: 20 }, changed));
    expect(error.name).toBe('HostKeyError');
    for (const part of [old, changed.fingerprint, `${changed.knownHosts}:1`, 'ssh-keygen -R'])
      expect(error.message).toContain(part);
  });

  it('is refused if the host accepts none of our keys', async () => {
    const key = join(host().folder, 'stranger');
    makeKey(key);
    const error = await refusal(inspect({ keyFile: key }));
    expect(error.name).toBe('HostAuthError');
    expect(error.message).toContain(key);
    expect(error.message).toContain('authorized_keys');
  });

  it('is refused if the host hangs up after too many keys, with how to name the right one', async () => {
    const strict = await start({ config: ['MaxAuthTries 1'] });
    const keys = ['first wrong', 'second wrong'].map((name) => join(strict.folder, name));
    keys.forEach((key) => makeKey(key));
    const files = keys.map((key) => `  IdentityFile "${key}"\n`).join('');
    const configFile = fileOf('wrong keys', `Host *\n${files}  IdentityAgent none\n`);
    const { address, port, user, knownHosts } = addressOf(strict);
    const options = { address, port, user, knownHosts, configFile, patienceSeconds: 20 };
    const error = await refusal(open({ ...options, installation: 'ssh-tests', host: 'box' }).inspect(specOf('true')));
    expect(error).toMatchObject({ name: 'HostAuthError', host: 'box' });
    for (const part of ['MaxAuthTries', keys.join(', '), 'keyFile']) expect(error.message).toContain(part);
    expect(error.message).not.toContain('MaxStartups');
  });

  it.each(['ecdsa', 'rsa'] as const)('is open to a key of type %s', async (type) => {
    const keyFile = join(host().folder, `key of ${type}`);
    appendFileSync(join(host().folder, 'authorized'), `${makeKey(keyFile, '', type)}\n`);
    expect(await inspect({ keyFile })).toEqual({ state: 'absent' });
  });

  it('is open to the keys of an agent, also to one whose file has a passphrase', async () => {
    const keyFile = join(host().folder, 'in the agent');
    appendFileSync(join(host().folder, 'authorized'), `${makeKey(keyFile)}\n`);
    const { address, port, user, knownHosts, configFile } = addressOf(host());
    const attempt = withAgent(host().folder, ({ add, socket: agent }) => {
      add(keyFile);
      execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret', '-f', keyFile]);
      const options = { address, port, user, knownHosts, configFile, agent, patienceSeconds: 0 };
      return open({ ...options, installation: 'ssh-tests', host: 'box' }).inspect(specOf('true'));
    });
    expect(await attempt).toEqual({ state: 'absent' });
  });

  it.each([
    ['has a passphrase', (file: string) => makeKey(file, 'secret'), 'ssh-add'],
    ['is a public one', (file: string) => writeFileSync(file, makeKey(file)), 'it is a public key (ssh-ed25519)'],
    ['is none', (file: string) => writeFileSync(file, 'no key'), 'ed25519, ECDSA or RSA'],
    ['is a pipe', (file: string) => execFileSync('mkfifo', [file]), 'expected a plain file, got a pipe'],
  ])('is refused before any attempt where the key %s', async (name, make, says) => {
    const keyFile = join(host().folder, `key that ${name}`);
    make(keyFile);
    const error = await refusal(inspect({ keyFile }));
    expect(error.name).toBe('HostConfigError');
    expect(error.message).toContain(keyFile);
    expect(error.message).toContain(says);
  });

  it('is refused if known_hosts is a device, except for /dev/null', async () => {
    const error = await refusal(inspect({ knownHosts: ['/dev/zero'] }));
    expect(error.message).toContain('known hosts /dev/zero: expected a plain file, got a device');
    const nobody = join(host().folder, 'nobody');
    symlinkSync('/dev/null', nobody);
    expect(await inspect({ knownHosts: ['/dev/null', nobody, host().knownHosts] })).toEqual({ state: 'absent' });
    // With a fingerprint, the file is not read.
    expect(await inspect({ knownHosts: ['/dev/zero'], fingerprint: host().fingerprint })).toEqual({ state: 'absent' });
  });

  it('names a key that lives in hardware', async () => {
    const file = fileOf('sk', 'not for us');
    fileOf('sk.pub', 'sk-ssh-ed25519@openssh.com AAAA me\n');
    expect((await refusal(inspect({ keyFile: file }))).message).toContain(
      'type sk-ssh-ed25519@openssh.com are not supported',
    );
  });

  it.each([
    ['the port is closed', async () => ({ port: await closedPort() }), 'refused'],
    ['the name is not found', async () => ({ address: 'no-such-host.invalid' }), 'name'],
    ['the name cannot be one', async () => ({ address: 'h\u00f6st\u202e' }), 'name'],
  ])('fails with HostUnreachableError if %s', async (_, make, reason) => {
    expect(await refusal(inspect(await make()))).toMatchObject({ name: 'HostUnreachableError', host: 'box', reason });
  });

  it.each([
    ['sends nothing', () => undefined, 'timeout', 300],
    ['hangs up before the login, as a full sshd does', (socket: Socket) => socket.end(), 'closed'],
    ['hangs up during the login', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), 'closed'],
  ])(
    'fails with HostUnreachableError if the host %s',
    async (_, greet: (socket: Socket) => unknown, reason, readyMs = 20_000) => {
      const server = createServer((socket) => void greet(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const targets = await resolveTargets('box', { ...addressOf(host()), port });
      const error = await refusal(connectThrough('box', { targets, aliveMs: 1000, readyMs }));
      server.close();
      expect(error).toMatchObject({ name: 'HostUnreachableError', reason });
    },
  );

  it.each([
    ['refused', async () => ({ port: await closedPort() })],
    ['name', async () => ({ address: 'no-such-host.invalid' })],
  ])('through a jump host that cannot reach the host fails as a direct connection would: %s', async (reason, make) => {
    const jump = await start();
    const known = fileOf('jump', readFileSync(jump.knownHosts, 'utf8'));
    const jumping = { knownHosts: [known], jump: `${jump.user}@127.0.0.1:${jump.port}`, keyFile: jump.key };
    expect(await refusal(inspect({ ...jumping, ...(await make()) }))).toMatchObject({
      name: 'HostUnreachableError',
      message: expect.stringContaining('the jump host cannot reach') as string,
      reason,
    });
  });

  it('is tried again for a while', async () => {
    const late = await start();
    await late.stop();
    const attempt = inspect({ patienceSeconds: 60 }, late);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await late.start();
    expect(await attempt).toEqual({ state: 'absent' });
  });

  it('follows aliases and jump hosts of the config', async () => {
    const jump = await start();
    const known = fileOf('both', readFileSync(jump.knownHosts, 'utf8') + readFileSync(host().knownHosts, 'utf8'));
    const all = `User ${jump.user}\n  UserKnownHostsFile ${known}\n  GlobalKnownHostsFile /dev/null`;
    const configFile = fileOf(
      'ssh config',
      `Host gate\n  HostName 127.0.0.1\n  Port ${jump.port}\n  IdentityFile ${jump.key}\n  ${all}\n` +
        `Host box\n  HostName 127.0.0.1\n  Port ${host().port}\n  IdentityFile ${host().key}\n` +
        `  ProxyJump gate\n  ${all}\n`,
    );
    expect(await aliased('box', configFile).inspect(specOf('true'))).toEqual({ state: 'absent' });
    expect(jump.sessions().length).toBeGreaterThan(0);
    await jump.stop();
    const error = await refusal(aliased('box', configFile).inspect(specOf('true')));
    expect(error).toMatchObject({ name: 'HostUnreachableError', reason: 'refused' });
    expect(error.message).toContain(`cannot reach the jump host 127.0.0.1:${jump.port}:`);
  });

  it('offers a jump host its own key first, which matters to one that allows one try', async () => {
    const jump = await start({ config: ['MaxAuthTries 1'] });
    const known = fileOf(
      'both of them',
      readFileSync(jump.knownHosts, 'utf8') + readFileSync(host().knownHosts, 'utf8'),
    );
    const configFile = fileOf(
      'jump config',
      `Host gate\n  HostName 127.0.0.1\n  Port ${jump.port}\n  IdentityFile ${jump.key}\n  User ${jump.user}\n`,
    );
    expect(await inspect({ jump: 'gate', knownHosts: [known], configFile })).toEqual({ state: 'absent' });
    expect(jump.sessions().length).toBeGreaterThan(0);
  });

  it('needs no more rights than those that the guide grants, on the host and on a jump host', async () => {
    const [jump, inner] = [await start(), await start()];
    const known = fileOf('guarded', readFileSync(jump.knownHosts, 'utf8') + readFileSync(inner.knownHosts, 'utf8'));
    const guide = readFileSync(join(packageRoot(), 'docs/guides/security/keys.md'), 'utf8');
    const [, forJump = ''] = /`(restrict,port-forwarding,[^`]*)`/.exec(guide) ?? [];
    const grant = (sshd: Sshd, options: string): void =>
      writeFileSync(join(sshd.folder, 'authorized'), `${options} ${readFileSync(`${host().key}.pub`, 'utf8')}`);
    grant(jump, forJump.replace('10.0.0.11:22', `127.0.0.1:${inner.port}`));
    grant(inner, 'restrict');
    const way = { keyFile: host().key, knownHosts: [known], jump: `${jump.user}@127.0.0.1:${jump.port}` };
    expect(await inspect(way, inner)).toEqual({ state: 'absent' });
    // The jump host forwards to no other port.
    expect(await refusal(inspect({ ...way, knownHosts: [known, host().knownHosts] }))).toMatchObject({
      name: 'HostConfigError',
      message: expect.stringContaining('PermitOpen') as string,
    });
  });

  it('refuses what it cannot do: a ProxyCommand', async () => {
    const configFile = fileOf('proxy config', 'Host box\n  ProxyCommand nc %h %p\n');
    const error = await refusal(aliased('box', configFile).inspect(specOf('true')));
    expect(error).toMatchObject({ name: 'HostConfigError' });
    expect(error.message).toContain('ProxyJump');
  });

  it('shows what a host lacks', async () => {
    const poor = await start();
    rmSync(poor.home, { recursive: true });
    writeFileSync(poor.home, 'no folder');
    const error = await refusal(inspect({}, poor));
    expect(error.name).toBe('HostUnusableError');
    expect(error.message).toContain('scratch folder');
  });
});

/** A host that is named by its alias in the ssh config only. */
const aliased = (address: string, configFile: string): SshCompute =>
  open({ address, configFile, installation: 'ssh-tests', patienceSeconds: 0 });

async function closedPort(): Promise<number> {
  const gone = await start();
  await gone.stop();
  return gone.port;
}
