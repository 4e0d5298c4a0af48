import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { followToEnd, LIMITS, never, specOf, eventsOf, type Bench } from './support.ts';

/** Part of the suite: a real process. */
export function processTests({ compute, run }: Bench): void {
  it('runs in a copy of the stage with its own files, and leaves the stage alone', async () => {
    const { text } = await run('cat main.txt fixed/data.txt; ./tool; echo x > fixed/data.txt; rm tool');
    expect(text).toBe('mutablefixedfrom tool\n');
    expect((await run('cat fixed/data.txt; ./tool')).text).toBe('fixedfrom tool\n');
  });

  it('has the environment it was given and eight names more', async () => {
    const value = `a 'quoted' "value" $HOME \`x\` \\ é\nline`;
    const { text } = await run('env -0', { env: { TRICKY: value, PERPETUA_SEED: '7' } });
    const pairs = text.split('\0').filter(Boolean);
    const env = Object.fromEntries(pairs.map((pair) => [pair.replace(/=.*/s, ''), pair.replace(/^[^=]*=/, '')]));
    expect(env).toMatchObject({ TRICKY: value, PERPETUA_SEED: '7' });
    const added = [
      'PATH',
      'HOME',
      'USER',
      'LOGNAME',
      'TMPDIR',
      'LANG',
      'PERPETUA_DATA',
      'PYTHONUNBUFFERED',
      'PWD',
      'OLDPWD',
      'SHLVL',
      '_',
    ];
    const extra = Object.keys(env).filter((key) => !added.includes(key));
    expect(extra.sort()).toEqual(['PERPETUA_SEED', 'TRICKY']);
    expect((await run('cd "$HOME" && touch "$TMPDIR/x" && cat main.txt')).text).toBe('mutable');
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'keeps what a Python printed before it was killed, unless the task lets Python buffer its output',
    async () => {
      const command = `exec python3 -c 'import os; print("early"); os.kill(os.getpid(), 9)'`;
      expect((await run(command)).text).toBe('early\n');
      expect((await run(command, { env: { PYTHONUNBUFFERED: '' } })).text).toBe('');
    },
  );

  it('ends with its exit code or signal', async () => {
    expect((await run('exit 7')).end).toMatchObject({ reason: 'exit', exitCode: 7, signal: null });
    expect((await run('kill -SEGV $$')).end).toMatchObject({ reason: 'exit', exitCode: null, signal: 'SIGSEGV' });
    expect((await run('no-such-command')).end).toMatchObject({ reason: 'exit', exitCode: 127 });
  });

  it("records its start by the kernel's clock: after that of its caller, before that of its children", async () => {
    const birthOf = (stat: string): number => Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19]);
    const { text, end } = await run('exec cat /proc/self/stat');
    const began = (end.upSeconds ?? NaN) * 100;
    expect(began).toBeGreaterThan(birthOf(readFileSync('/proc/self/stat', 'utf8')));
    expect(began).toBeLessThanOrEqual(birthOf(text));
  });

  it('starts once when launched twice at once', async () => {
    const spec = specOf('echo started; sleep 0.3');
    await Promise.all([compute().launch(spec), compute().launch(spec), compute().launch(spec)]);
    expect((await followToEnd(compute(), spec)).text).toBe('started\n');
  });

  it('starts once when launched at once under different fences', async () => {
    const spec = specOf('echo started; sleep 0.3');
    const launches = [5, 6, 7].map((fence) => compute().launch({ ...spec, fence }));
    await Promise.all(launches);
    expect((await followToEnd(compute(), spec)).text).toBe('started\n');
  });

  it('is followed from an offset without a lost or doubled byte', async () => {
    const spec = specOf(
      'i=0; while [ $i -lt 400 ]; do echo "line $i é"; i=$((i+1)); [ $((i % 100)) -ne 0 ] || sleep 0.1; done',
    );
    await compute().launch(spec);
    let whole = Buffer.alloc(0);
    for (let done = false; !done;) {
      const controller = new AbortController();
      let taken = 0;
      for await (const event of eventsOf(compute(), spec, { offset: whole.length, signal: controller.signal })) {
        if (event.type === 'output') {
          expect(event.offset).toBe(whole.length);
          whole = Buffer.concat([whole, event.chunk]);
          // Stops following in the middle, as a killed worker would.
          if ((taken += 1) === 2) controller.abort();
        } else done = true;
      }
    }
    const lines = Array.from({ length: 400 }, (_, i) => `line ${i} é\n`).join('');
    expect(whole.toString('utf8')).toBe(lines);
    const rest = Buffer.from(lines).subarray(100).toString('utf8');
    expect((await followToEnd(compute(), spec, 100)).text).toBe(rest);
  });

  it('is reported at once while it still runs', async () => {
    const spec = specOf('echo early; sleep 4325');
    await compute().launch(spec);
    for await (const event of eventsOf(compute(), spec)) {
      expect(event.type === 'output' && Buffer.from(event.chunk).toString()).toBe('early\n');
      break;
    }
    await compute().kill(spec, spec.fence);
  });

  it('is reported with the time since when it may have been there, once somebody has looked', async () => {
    const spec = specOf('while :; do echo tick; sleep 0.05; done');
    const begun = Date.now();
    await compute().launch(spec);
    let since: Date | null = null;
    for await (const event of eventsOf(compute(), spec)) {
      since = event.type === 'output' ? event.since : null;
      if (since) break;
    }
    expect(since?.getTime()).toBeGreaterThanOrEqual(begun);
    expect(since?.getTime()).toBeLessThanOrEqual(Date.now());
    await compute().kill(spec, spec.fence);
    for await (const event of eventsOf(compute(), spec)) if (event.type === 'output') expect(event.since).toBeNull();
  });

  it('is looked at again and again while it is silent', async () => {
    const spec = specOf('echo up; sleep 4326');
    await compute().launch(spec);
    let looks = 0;
    for await (const event of compute().follow(spec, 'up\n'.length, never)) {
      expect(event).toEqual({ type: 'looked' });
      if ((looks += 1) === 3) break;
    }
    await compute().kill(spec, spec.fence);
    expect(looks).toBe(3);
  });

  it('has its grace for child processes, too, though the shell around them ends at once', async () => {
    const patient = { limits: { ...LIMITS, graceSeconds: 20 } };
    const program = `trap "sleep .5; echo saved; exit 0" TERM; echo up; while :; do sleep .05; done`;
    const spec = specOf(`sh -c '${program}'; exit $?`, patient);
    await compute().launch(spec);
    for await (const event of eventsOf(compute(), spec)) if (event.type === 'output') break;
    await compute().kill(spec, spec.fence);
    const { text, end } = await followToEnd(compute(), spec);
    expect(text).toMatch(/^up\n(Terminated\n)*saved\n$/);
    expect(end).toMatchObject({ reason: 'killed', treeGone: true });
  });

  it('gets TERM and its grace when killed', async () => {
    const patient = { limits: { ...LIMITS, graceSeconds: 20 } };
    const spec = specOf(`trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`, patient);
    await compute().launch(spec);
    for await (const event of eventsOf(compute(), spec)) if (event.type === 'output') break;
    await compute().kill(spec, spec.fence);
    const { text, end } = await followToEnd(compute(), spec);
    expect(text).toMatch(/^up\n(Terminated\n)?bye\n$/);
    expect(end.reason).toBe('killed');
  });
}
