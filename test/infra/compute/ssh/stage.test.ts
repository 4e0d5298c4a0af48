import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSshd } from '../../../support/sshd.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';
import { testHosts } from './hosts.ts';

const { start, connect } = testHosts();
const FILES = [{ path: 'main.txt', content: bytes('x') }];

async function box() {
  const sshd = await start();
  const compute = connect(sshd);
  await compute.stage('stage1', FILES);
  const scratch = join(sshd.home, '.perpetua-host');
  const run = async (trialId: string): Promise<string> => {
    const spec = specOf('echo hello', { trialId, sandbox: 'none' });
    await compute.launch(spec);
    return (await followToEnd(compute, spec)).text;
  };
  return { compute, scratch, run };
}

describe.skipIf(noSshd !== undefined)(`a stage on a host ${noSshd ?? ''}`, () => {
  it('is made again where the scratch folder was cleared', async () => {
    const { compute, scratch, run } = await box();
    expect(await run('before/1')).toBe('hello\n');
    rmSync(scratch, { recursive: true });
    await expect(run('after/1')).rejects.toThrow('stage stage1: expected it on host box');
    await compute.stage('stage1', FILES);
    expect(await run('after/2')).toBe('hello\n');
  });

  it('is believed to be there still, until a launch finds none', async () => {
    const { compute, scratch, run } = await box();
    expect(await compute.isStaged('stage1')).toBe(true);
    rmSync(join(scratch, 'stages'), { recursive: true });
    expect(await compute.isStaged('stage1')).toBe(true);
    await expect(run('gone/1')).rejects.toMatchObject({ name: 'StageMissingError' });
    expect(await compute.isStaged('stage1')).toBe(false);
  });

  it.each([
    ['its files', (stage: string) => rmSync(join(stage, 'files', 'main.txt'))],
    ['the folder of its files', (stage: string) => rmSync(join(stage, 'files'), { recursive: true })],
    ['its list of files', (stage: string) => rmSync(join(stage, 'manifest'))],
  ])('is not used once somebody has removed %s, but made again', async (_, spoil) => {
    const { compute, scratch, run } = await box();
    spoil(join(scratch, 'stages', 'stage1'));
    await expect(run('spoiled/1')).rejects.toMatchObject({ name: 'StageMissingError' });
    expect(await compute.isStaged('stage1')).toBe(false);
    await compute.stage('stage1', FILES);
    expect(await run('spoiled/2')).toBe('hello\n');
  });

  it('may go in mid-run: what the run changed is seen all the same', async () => {
    const { compute, scratch } = await box();
    const spec = specOf('echo other > main.txt', { trialId: 'mid/1', sandbox: 'none', files: [] });
    await compute.launch(spec);
    rmSync(join(scratch, 'stages'), { recursive: true });
    await followToEnd(compute, spec);
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ changed: ['main.txt'] });
  });
});
