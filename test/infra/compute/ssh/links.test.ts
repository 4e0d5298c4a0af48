import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, never, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { boxes } from './support/stepped.ts';

const hosts = testHosts();
const box = boxes(hosts);

describe.skipIf(noSshd !== undefined)(`a host with changed folders ${noSshd ?? ''}`, () => {
  it('is not blamed if the setup of a task put a link in the place of a folder of mutable files', async () => {
    const { compute, scratch } = await box();
    const setup = ['mkdir moved && mv main.txt moved/ && ln -s moved conf'];
    await compute.prepare('stage1', setup, { onOutput: () => undefined, signal: never });
    const spec = specOf('true', { files: [{ path: 'conf/main.txt', content: bytes('mutable') }] });
    await expect(compute.launch(spec)).rejects.toMatchObject({
      name: 'SetupFailedError',
      message: expect.stringMatching(/conf\/main.txt leads through a link.*setup has to leave/) as string,
    });
    expect(existsSync(join(scratch, 'runs/ssh-tests'))).toBe(true);
    expect(await compute.inspect(spec)).toEqual({ state: 'absent' });
  });

  it('is not blamed if the setup of a task put a file in the place of a folder of mutable files', async () => {
    const { compute } = await box();
    const setup = ['echo no folder >conf'];
    await compute.prepare('stage1', setup, { onOutput: () => undefined, signal: never });
    const spec = specOf('true', { files: [{ path: 'conf/main.txt', content: bytes('mutable') }] });
    await expect(compute.launch(spec)).rejects.toMatchObject({
      name: 'SetupFailedError',
      message: expect.stringContaining('conf/main.txt leads through a link, or a part of it is not a folder') as string,
    });
  });

  it('is not used while a readable folder of the fleet file is missing, and is used once it exists', async () => {
    const { sshd, compute } = await box({}, { readable: ['/usr'] });
    const sets = join(sshd.home, 'sets');
    const wanting = hosts.connect(sshd, { readable: [sets] });
    await expect(wanting.requireReadable()).rejects.toMatchObject({
      name: 'HostUnusableError',
      message: expect.stringContaining(`readable: expected the folder ${sets}; mount or make it`) as string,
    });
    await compute.requireReadable();
    writeFileSync(sets, 'no folder');
    await expect(wanting.requireReadable()).rejects.toThrow('readable: expected the folder');
    rmSync(sets);
    mkdirSync(sets);
    await wanting.requireReadable();
    const spec = specOf('echo hello');
    await wanting.launch(spec);
    expect((await followToEnd(wanting, spec)).text).toBe('hello\n');
  });
});
