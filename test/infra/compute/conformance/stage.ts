import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Collected, Conversation, RunSpec } from '../../../../infra/compute.ts';
import { runName } from '../../../../infra/compute/run-protocol/paths.ts';
import { bytes, followToEnd, never, specOf, eventsOf, type Bench } from './support.ts';

const FILES = [
  { path: 'main.txt', content: bytes('original') },
  { path: 'fixed/tool', content: bytes('#!/bin/sh\necho tool\n'), executable: true },
  { path: 'fixed/data.txt', content: bytes('fixed') },
  { path: 'fixed/more data.txt', content: bytes('more') },
];
const WHY = 'fixed/data.txt differs from the staged file';
let count = 0;

/** Part of the suite: stages that a user, or a run without a sandbox, has damaged. */
export function stageTests({ compute, stages, run }: Bench): void {
  /** Makes a new stage under a hash of its own; returns the hash and the folder. */
  const staged = async (setup?: string): Promise<{ stageHash: string; folder: string }> => {
    const stageHash = `damaged${(count += 1)}`;
    await compute().stage(stageHash, FILES);
    if (setup !== undefined) await prepare(stageHash, setup);
    return { stageHash, folder: join(stages(), stageHash) };
  };
  const prepare = (stageHash: string, command: string): Promise<void> =>
    compute().prepare(stageHash, [command], { onOutput: () => undefined, signal: never });
  const collected = (spec: RunSpec): Promise<Collected> => compute().collect(spec, { artefacts: [] });
  const aside = (stageHash: string): string[] =>
    readdirSync(stages()).filter((name) => name.startsWith('.damaged-') && name.endsWith(`-${stageHash}`));
  const attemptOf = (spec: RunSpec): string => join(stages(), '../runs/conformance', runName(spec), String(spec.fence));
  /** Changes a file and keeps its size, so that only its content shows the damage. */
  const spoil = (folder: string): void => writeFileSync(join(folder, 'files/fixed/data.txt'), 'fixeD');

  it('lets other users read what its setup made for runs, and nothing else', async () => {
    const { folder } = await staged('echo made > "$PERPETUA_DATA/made"');
    const modeOf = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8);
    expect(['.', 'data', 'data/made'].map(modeOf)).toEqual(['711', '755', '644']);
    const others = readdirSync(folder).filter((name) => name !== 'data');
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
  });

  it('is told apart from what a run changed, and set aside, so that it is staged again', async () => {
    const { stageHash, folder } = await staged();
    spoil(folder);
    const [first, second] = [await run('true', { stageHash }), await run('true', { stageHash })];
    expect(await collected(first.spec)).toMatchObject({ changed: ['fixed/data.txt'], damaged: WHY });
    expect(await compute().isStaged(stageHash)).toBe(false);
    expect(aside(stageHash)).toHaveLength(1);
    await compute().stage(stageHash, FILES);
    // Both runs were made from the damaged stage, wherever it lies by now, and a repeated collect says so again.
    for (const { spec } of [first, second]) expect(await collected(spec)).toMatchObject({ damaged: WHY });
    expect(await compute().isStaged(stageHash)).toBe(true);
    const { spec } = await run('true', { stageHash });
    expect(await collected(spec)).toMatchObject({ changed: [] });
  });

  it.each<[string, (folder: string) => void]>([
    ['of its own', (folder) => rmSync(join(folder, 'stage-id'))],
    ['of this version', () => undefined],
  ])('is found by the number of its folder where an older version made the run, from one %s', async (_, older) => {
    const { stageHash, folder } = await staged();
    const { spec } = await run('true', { stageHash });
    older(folder);
    nameByNumber(attemptOf(spec), statSync(folder, { bigint: true }).ino);
    expect((await collected(spec)).damaged).toBeUndefined();
    spoil(folder);
    const other = await run('true', { stageHash });
    expect(await collected(other.spec)).toMatchObject({ damaged: WHY });
    await compute().remove(other.spec);
    await compute().stage(stageHash, FILES);
    expect((await collected(spec)).damaged).toBeUndefined();
    await compute().sweep({ keep: [spec], olderThanSeconds: 0, dryRun: false });
    expect(aside(stageHash)).toHaveLength(1);
    await compute().sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
    expect(aside(stageHash)).toEqual([]);
  });

  it('is known by its id, whatever folder of whatever number it lies in', async () => {
    const { stageHash, folder } = await staged();
    const { spec } = await run('true', { stageHash });
    cpSync(folder, `${folder}-copy`, { recursive: true });
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-copy`, folder);
    expect((await collected(spec)).damaged).toBeUndefined();
    rmSync(folder, { recursive: true });
    await compute().stage(stageHash, FILES);
    expect((await collected(spec)).damaged).toBe('it is gone');
  });

  it('is staged again, not set up again under its runs, if the mark of its setup was removed', async () => {
    const setup = 'echo $$ > "$PERPETUA_DATA/made"';
    const { stageHash, folder } = await staged(setup);
    await run('true', { stageHash });
    const before = readFileSync(join(folder, 'data/made'), 'utf8');
    rmSync(join(folder, 'prepared'));
    await expect(prepare(stageHash, setup)).rejects.toMatchObject({ name: 'StageMissingError' });
    const [moved = ''] = aside(stageHash);
    expect(readFileSync(join(stages(), moved, 'data/made'), 'utf8')).toBe(before);
    await compute().stage(stageHash, FILES);
    await prepare(stageHash, setup);
    expect(readFileSync(join(folder, 'data/made'), 'utf8')).not.toBe(before);
  });

  it('may lose its id to its own setup, whose home it is', async () => {
    const { stageHash } = await staged('rm "$HOME/stage-id"');
    const { spec } = await run('true', { stageHash });
    expect((await collected(spec)).damaged).toBeUndefined();
    expect(await compute().isPrepared(stageHash)).toBe(true);
  });

  it('is no excuse for a run that changed files of a whole one', async () => {
    const { stageHash } = await staged();
    const { spec } = await run('printf fixeD > fixed/data.txt', { stageHash });
    const { changed, damaged } = await collected(spec);
    expect({ changed, damaged }).toEqual({ changed: ['fixed/data.txt'], damaged: undefined });
    expect(await compute().isStaged(stageHash)).toBe(true);
  });

  it('is none if its own setup changed a file: each run reports the change', async () => {
    const { stageHash } = await staged('printf fixeD > fixed/data.txt; rm "fixed/more data.txt"');
    const { spec } = await run('true', { stageHash });
    const { changed, damaged } = await collected(spec);
    expect({ changed: changed.sort(), damaged }).toEqual({
      changed: ['fixed/data.txt', 'fixed/more data.txt'],
      damaged: undefined,
    });
    expect(await compute().isPrepared(stageHash)).toBe(true);
  });

  const manifestIn = (folder: string): string =>
    join(folder, readdirSync(folder).find((name) => name.startsWith('manifest')) ?? '');
  it.each<[string, (folder: string) => void]>([
    ['a file of it', (folder) => rmSync(join(folder, 'files/fixed/data.txt'))],
    ['the list of its files', (folder) => rmSync(manifestIn(folder))],
    ['the right to execute one', (folder) => chmodSync(join(folder, 'files/fixed/tool'), 0o644)],
    ['the end of that list', (folder) => truncateSync(manifestIn(folder), 80)],
    ['all of that list', (folder) => truncateSync(manifestIn(folder), 0)],
    ['some of what its setup made', (folder) => rmSync(join(folder, 'data/made'))],
    ['the folder for that', (folder) => rmSync(join(folder, 'data'), { recursive: true })],
  ])('is not launched from where somebody has removed %s, but staged again', async (_, remove) => {
    const setup = 'echo 42 > "$PERPETUA_DATA/made"; echo 1 > "$PERPETUA_DATA/other"';
    const { stageHash, folder } = await staged(setup);
    remove(folder);
    await expect(run('true', { stageHash })).rejects.toMatchObject({ name: 'StageMissingError' });
    expect([await compute().isStaged(stageHash), await compute().isPrepared(stageHash)]).toEqual([false, false]);
    await compute().stage(stageHash, FILES);
    await prepare(stageHash, setup);
    const { spec, text } = await run('cat "$PERPETUA_DATA/made"', { stageHash });
    expect(text).toBe('42\n');
    expect(await collected(spec)).toMatchObject({ changed: [] });
  });

  it('is launched from as its own setup left it, be that with a tool that may not be executed', async () => {
    const { stageHash } = await staged('chmod -x fixed/tool');
    const { spec, end } = await run('fixed/tool', { stageHash });
    expect(end.exitCode).toBe(126);
    expect((await collected(spec)).damaged).toBeUndefined();
  });

  it.each<[string, (folder: string) => void]>([
    ['added to', (folder) => writeFileSync(join(folder, 'files/fixed/other.py'), '')],
    ['removed from what its setup made of', (folder) => rmSync(join(folder, 'files/built/a'))],
  ])('is not launched from where somebody has %s its files, but staged again', async (_, damage) => {
    const setup = 'mkdir built; for n in a "b c"; do echo 1 > "built/$n"; done; ln -s nowhere built/link; mkdir empty';
    const { stageHash, folder } = await staged(setup);
    const first = await run('cat built/*', { stageHash });
    expect((await collected(first.spec)).damaged).toBeUndefined();
    damage(folder);
    await expect(run('true', { stageHash })).rejects.toMatchObject({ name: 'StageMissingError' });
    expect(aside(stageHash)).toHaveLength(1);
  });

  it('is not launched from where somebody has added to one without a setup, but staged again', async () => {
    const { stageHash, folder } = await staged();
    writeFileSync(join(folder, 'files/fixed/other.py'), '');
    await expect(run('true', { stageHash })).rejects.toMatchObject({ name: 'StageMissingError' });
    await compute().stage(stageHash, FILES);
    const { text } = await run('ls fixed', { stageHash });
    expect(text).not.toContain('other.py');
  });

  it.each<[string, (data: string) => void]>([
    ['changed', (data) => writeFileSync(join(data, 'deep/a b/set'), 'three\n')],
    ['removed', (data) => rmSync(join(data, 'deep/a b/set'))],
    ['removed, with nothing in it,', (data) => rmSync(join(data, 'deep/empty'))],
  ])('is blamed for a run that failed where somebody has %s what its setup made below the top', async (_, damage) => {
    const setup =
      'cd "$PERPETUA_DATA"; mkdir -p "deep/a b"; echo one > "deep/a b/set"; : > deep/empty; ln -s nowhere deep/link; ' +
      'touch -d "2020-01-01 00:00:00" "deep/a b/set"';
    const { stageHash, folder } = await staged(setup);
    const before = await run('exit 1', { stageHash });
    expect((await collected(before.spec)).damaged).toBeUndefined();
    const went = await run('true', { stageHash });
    const failed = await run('exit 1', { stageHash });
    damage(join(folder, 'data'));
    expect((await collected(went.spec)).damaged).toBeUndefined();
    expect((await collected(failed.spec)).damaged).toMatch(
      /^data\/deep\/.*, which its setup made, (is gone|has changed)$/,
    );
    expect(aside(stageHash)).toHaveLength(1);
  });

  it('is not blamed if runs without a sandbox added to what its setup made, or touched a lock in it', async () => {
    const { stageHash, folder } = await staged('mkdir "$PERPETUA_DATA/deep"; : > "$PERPETUA_DATA/deep/lock"');
    const { spec } = await run('exit 1', { stageHash });
    writeFileSync(join(folder, 'data/deep/cache'), 'x');
    utimesSync(join(folder, 'data/deep/lock'), 1, 1);
    expect((await collected(spec)).damaged).toBeUndefined();
  });

  it('is found out after a run, too, when what its setup made went in its middle', async () => {
    const { stageHash, folder } = await staged('echo 42 > "$PERPETUA_DATA/made"');
    const { spec } = await run('true', { stageHash });
    rmSync(join(folder, 'data/made'));
    expect((await collected(spec)).damaged).toMatch(/^data\/made, .* is gone$/);
    expect(await compute().isStaged(stageHash)).toBe(false);
  });

  it('blames no run whose list of files went as well', async () => {
    const { stageHash, folder } = await staged();
    const { spec } = await run('true', { stageHash });
    for (const list of [manifestIn(folder), manifestIn(attemptOf(spec))]) rmSync(list);
    expect(await collected(spec)).toMatchObject({ changed: [], damaged: 'the list of its files cannot be read' });
    expect(await compute().isStaged(stageHash)).toBe(false);
  });

  it('shows a conversation what its setup made, even when set aside; once removed, its run is gone', async () => {
    const setup = 'echo 42 > "$PERPETUA_DATA/made"';
    const { stageHash, folder } = await staged(setup);
    const { spec } = await run('true', { stageHash });
    const talk = (): Promise<Conversation> =>
      compute().converse({ ...spec, command: 'cat "$PERPETUA_DATA/made"; echo "$PERPETUA_DATA"' });
    const outputOfTalk = async (): Promise<string> => {
      const { output, ended } = await talk();
      const parts: Uint8Array[] = [];
      for await (const part of output) parts.push(part);
      expect(await ended).toMatchObject({ reason: 'exit', exitCode: 0 });
      return Buffer.concat(parts).toString();
    };
    spoil(folder);
    expect(await collected((await run('true', { stageHash })).spec)).toMatchObject({ damaged: WHY });
    const [moved = ''] = aside(stageHash);
    expect(await outputOfTalk()).toBe(`42\n${stages()}/${moved}/data\n`);
    rmSync(join(stages(), moved), { recursive: true });
    await expect(talk()).rejects.toMatchObject({ name: 'RunGoneError' });
    expect((await collected(spec)).damaged).toBe('it is gone');
    // The files that setup made may contain their own path.
    await compute().stage(stageHash, FILES);
    await prepare(stageHash, setup);
    expect(await outputOfTalk()).toBe(`42\n${folder}/data\n`);
  });

  it('is still read by what runs with it, and removed when no run is made from it any more', async () => {
    const { stageHash, folder } = await staged('echo 42 > "$PERPETUA_DATA/made"');
    const command = 'echo up; while [ ! -e go ]; do sleep .1; done; cat "$PERPETUA_DATA/made"';
    const living = specOf(command, { stageHash, sandbox: 'required' });
    await compute().launch(living);
    for await (const event of eventsOf(compute(), living)) if (event.type === 'output') break;
    spoil(folder);
    const { spec } = await run('true', { stageHash });
    expect(await collected(spec)).toMatchObject({ damaged: WHY });
    await compute().sweep({ keep: [living], olderThanSeconds: 0, dryRun: false });
    expect(aside(stageHash)).toHaveLength(1);
    writeFileSync(join(attemptOf(living), 'work/go'), '');
    expect((await followToEnd(compute(), living)).text).toBe('up\n42\n');
    expect(await collected(living)).toMatchObject({ changed: [], aside: true });
    await compute().sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
    expect(aside(stageHash)).toEqual([]);
  });
}

/** Rewrites a run directory so that it names its stage by inode, as the previous version did. */
function nameByNumber(attempt: string, number: bigint): void {
  const file = join(attempt, 'run.json');
  if (!existsSync(file)) {
    rmSync(join(attempt, 'stage-id'));
    writeFileSync(join(attempt, 'stage-inode'), `${number}\n`);
    return;
  }
  const { stageId, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  expect(stageId).toBeDefined();
  writeFileSync(file, JSON.stringify({ ...older, stageInode: String(number) }));
}
