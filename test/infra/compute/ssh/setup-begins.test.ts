import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSshd } from '../../../support/sshd.ts';
import { never } from '../conformance/support.ts';
import { testHosts } from './hosts.ts';
import { boxes } from './stepped.ts';

const hosts = testHosts();
const box = boxes(hosts);

describe.skipIf(noSshd !== undefined)(`a setup on a host ${noSshd ?? ''}`, () => {
  it('begins once it has the lock that the setup of another worker holds there', async () => {
    const { sshd, compute, scratch } = await box();
    const another = hosts.connect(sshd);
    const begun: string[] = [];
    const watching = (name: string) => ({
      onOutput: () => undefined,
      onBegin: () => void begun.push(name),
      signal: never,
    });
    const gate = join(scratch, 'gate');
    const held = compute
      .prepare('stage1', [`until [ -e '${gate}' ]; do sleep 0.05; done; exit 1`], watching('first'))
      .catch((error: unknown) => error);
    await expect.poll(() => begun, { timeout: 30_000 }).toEqual(['first']);
    const waiting = another.prepare('stage1', ['true'], watching('second'));
    // After this it has asked for its turn.
    for (let asked = 0; asked < 3; asked += 1) expect(await another.isPrepared('stage1')).toBe(false);
    expect(begun).toEqual(['first']);
    writeFileSync(gate, '');
    expect(await held).toMatchObject({ name: 'SetupFailedError' });
    await waiting;
    expect(begun).toEqual(['first', 'second']);
  });
});
