import { expect, it } from 'vitest';
import { bytes, followToEnd, specOf, eventsOf, type Bench } from './support.ts';

/** Part of the suite: the life of a run. */
export function lifeTests({ compute, run }: Bench): void {
  it('is absent before its launch, and runs after it', async () => {
    const spec = specOf('sleep 4320');
    expect(await compute().inspect(spec)).toEqual({ state: 'absent' });
    await compute().launch(spec);
    const [first, then] = [await compute().inspect(spec), await compute().inspect(spec)];
    // `seconds` counts from the start of the run, by the host's clock.
    const seconds = [first, then].map((state) => (state.state === 'running' ? (state.seconds ?? NaN) : NaN));
    expect(seconds[0]).toBeGreaterThanOrEqual(0);
    expect(seconds[1]).toBeGreaterThanOrEqual(seconds[0] ?? NaN);
    expect(seconds[1]).toBeLessThan(300);
    await compute().kill(spec, spec.fence);
  });

  it('ends by itself, and stays ended', async () => {
    const { spec, end } = await run('sleep 0.3');
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0, treeGone: true });
    expect(await compute().inspect(spec)).toEqual({ state: 'ended', end });
  });

  it('is not started again by a second launch with the same fence or a higher one', async () => {
    const { spec, end } = await run('echo once');
    await compute().launch(spec);
    await compute().launch({ ...spec, fence: spec.fence + 1 });
    expect(await compute().inspect(spec)).toEqual({ state: 'ended', end });
  });

  it('can be followed by a second follower when the first has left', async () => {
    const spec = specOf('sleep 4325');
    await compute().launch(spec);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { signal } = controller;
    for await (const event of eventsOf(compute(), spec, { signal })) expect(event.type).toBe('output');
    await compute().kill(spec, spec.fence);
    expect((await followToEnd(compute(), spec)).last?.type).toBe('ended');
  });

  it('is ended by kill, and a second kill changes nothing', async () => {
    const spec = specOf('sleep 4321');
    await compute().launch(spec);
    await compute().kill(spec, spec.fence);
    const state = await compute().inspect(spec);
    expect(state).toMatchObject({ state: 'ended', end: { reason: 'killed', treeGone: true } });
    await compute().kill(spec, spec.fence);
    expect(await compute().inspect(spec)).toEqual(state);
  });

  it('is left alone by a kill with a lower fence', async () => {
    const spec = specOf('sleep 4322');
    await compute().launch(spec);
    await compute().kill(spec, spec.fence - 1);
    expect((await compute().inspect(spec)).state).toBe('running');
    await compute().kill(spec, spec.fence + 1);
  });

  it('is not removed while it lives', async () => {
    const spec = specOf('sleep 4323');
    await compute().launch(spec);
    await expect(compute().remove(spec)).rejects.toThrow('still runs');
    await compute().kill(spec, spec.fence);
    await compute().remove(spec);
    expect(await compute().inspect(spec)).toEqual({ state: 'absent' });
    await compute().remove(spec);
  });

  it('reports a run that is not there as lost', async () => {
    expect((await followToEnd(compute(), specOf('true'))).last).toEqual({ type: 'lost' });
  });

  it('refuses a stage that is not there, and files outside the workspace', async () => {
    await expect(compute().launch(specOf('true', { stageHash: 'nowhere' }))).rejects.toThrow('stage nowhere');
    for (const path of ['../evil', '/etc/evil', 'a/../../evil', '', 'a//b', './a', 'a\0b', 'a\\b'])
      await expect(compute().launch(specOf('true', { files: [{ path, content: bytes('') }] }))).rejects.toThrow('path');
    await expect(compute().stage('evil', [{ path: '../x', content: bytes('') }])).rejects.toThrow('path');
    expect(await compute().isStaged('evil')).toBe(false);
    expect(await compute().isStaged('stage1')).toBe(true);
  });

  it('takes any trial id', async () => {
    for (const jobId of ['../../../../tmp/evil/1', "a'; touch /tmp/evil; '/2", '\n/3', `${'x'.repeat(900)}/4`, 'é日/5'])
      expect((await run('true', { jobId })).end.reason).toBe('exit');
  });

  it('is swept if old and not named in `keep`; a dry run reports the same without doing it', async () => {
    const kept = (await run('true')).spec;
    const old = (await run('true')).spec;
    const orphan = specOf('sleep 4324');
    await compute().launch(orphan);
    const all = { keep: [kept], olderThanSeconds: 0 };
    expect(await compute().sweep({ ...all, olderThanSeconds: 3600, dryRun: false })).toEqual({
      removed: [],
      killed: [],
      failed: [],
    });
    const planned = await compute().sweep({ ...all, dryRun: true });
    expect((await compute().inspect(orphan)).state).toBe('running');
    const done = await compute().sweep({ ...all, dryRun: false });
    expect(done).toEqual(planned);
    expect(done.killed).toHaveLength(1);
    expect((await compute().inspect(kept)).state).toBe('ended');
    for (const gone of [old, orphan]) expect(await compute().inspect(gone)).toEqual({ state: 'absent' });
  });
}
