import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';

const { start, connect } = testHosts();
const FILES = [{ path: 'main.txt', content: bytes('x') }];

async function box() {
  const sshd = await start();
  const compute = connect(sshd);
  await compute.stage('stage1', FILES);
  const scratch = join(sshd.home, '.perpetua-host');
  const run = async (jobId: string, command = 'echo hello', stageHash = 'stage1'): Promise<string> => {
    const spec = specOf(command, { jobId, sandbox: 'none', stageHash });
    await compute.launch(spec);
    return (await followToEnd(compute, spec)).text;
  };
  return { compute, scratch, run };
}

describe.skipIf(noSshd !== undefined)(`a stage on a host ${noSshd ?? ''}`, () => {
  it('is made again if the scratch folder was cleared', async () => {
    const { compute, scratch, run } = await box();
    expect(await run('before/1')).toBe('hello\n');
    // The host searches the folder for expired files meanwhile.
    await rm(scratch, { recursive: true, maxRetries: 20, retryDelay: 50 });
    await expect(run('after/1')).rejects.toThrow('stage stage1: expected it on host box');
    await compute.stage('stage1', FILES);
    expect(await run('after/2')).toBe('hello\n');
  });

  it('is assumed to exist until a launch does not find it', async () => {
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

  it('is whole with files whose names begin and end in blanks', async () => {
    const { compute, run } = await box();
    await compute.stage('blanks', [...FILES, { path: ' a  b ', content: bytes('y') }]);
    expect(await run('blanks/1', 'cat " a  b "; echo', 'blanks')).toBe('y\n');
  });

  it('is used if its own setup removed a file, and its runs report that file as changed', async () => {
    const { compute, scratch } = await box();
    const never = new AbortController().signal;
    await compute.prepare('stage1', ['mv main.txt other.txt'], { onOutput: () => undefined, signal: never });
    const spec = specOf('cat other.txt', { jobId: 'taken/1', sandbox: 'none', files: [] });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).text).toBe('x');
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ changed: ['main.txt'] });
    expect(existsSync(join(scratch, 'stages', 'stage1', 'prepared'))).toBe(true);
  });

  it.each([
    ['a file', 'main.txt'],
    ['a folder', 'src'],
  ])('is whole if its own setup put a link in place of %s', async (_, name) => {
    const { compute, run } = await box();
    await compute.stage('linked', [...FILES, { path: 'src/deep/a.py', content: bytes('y') }]);
    const never = new AbortController().signal;
    const commands = [`mv ${name} "$PERPETUA_DATA"; ln -s ../data/${name} ${name}`];
    await compute.prepare('linked', commands, { onOutput: () => undefined, signal: never });
    expect(await run(`linked/${name}`, 'echo hello', 'linked')).toBe('hello\n');
  });

  it.each([
    ['a file', ['files', 'main.txt']],
    ['all of its files', ['files']],
  ])('is not set up but made again if somebody has removed %s', async (_, gone) => {
    const { compute, scratch } = await box();
    rmSync(join(scratch, 'stages', 'stage1', ...gone), { recursive: true });
    const signal = AbortSignal.timeout(120_000);
    const setUp = (): Promise<void> => compute.prepare('stage1', ['true'], { onOutput: () => undefined, signal });
    await expect(setUp()).rejects.toMatchObject({ name: 'StageMissingError' });
    await compute.stage('stage1', FILES);
    await setUp();
    expect(await compute.isPrepared('stage1')).toBe(true);
  });

  it('stays while a setup is under way in it', async () => {
    const { compute, scratch, run } = await box();
    const folder = join(scratch, 'stages', 'stage1');
    const until = new AbortController();
    const setup = compute.prepare('stage1', ['sleep 600'], { onOutput: () => undefined, signal: until.signal });
    const over = setup.catch(() => 'over');
    await expect.poll(() => readdirSync(folder).some((name) => name.endsWith('.pid'))).toBe(true);
    rmSync(join(folder, 'files', 'main.txt'));
    await expect(run('busy/1')).rejects.toMatchObject({ name: 'StageMissingError' });
    expect(existsSync(folder)).toBe(true);
    until.abort();
    expect(await over).toBe('over');
    await expect(run('busy/2')).rejects.toMatchObject({ name: 'StageMissingError' });
    expect(existsSync(folder)).toBe(false);
  });

  it('may be removed in mid-run: the changes of the run are still found', async () => {
    const { compute, scratch } = await box();
    const spec = specOf('echo other > main.txt', { jobId: 'mid/1', sandbox: 'none', files: [] });
    await compute.launch(spec);
    rmSync(join(scratch, 'stages'), { recursive: true });
    await followToEnd(compute, spec);
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({
      changed: ['main.txt'],
      damaged: 'it is gone',
    });
  });
});
