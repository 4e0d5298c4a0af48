import { expect, it } from 'vitest';
import { isIsolated } from '../../../../domain/fault/is-isolated.ts';
import type { RunSpec } from '../../../../infra/compute.ts';
import { bytes, LIMITS, specOf, type Bench } from './support.ts';

/** Most round trips for each question, on average; a second one for each would make them 2. */
const MOST_TRIPS = 1.7;
const QUESTIONS = 30;
/** The artefact of the runs that `answerer` launches. */
const FACTOR = [{ path: 'factor', maxBytes: 100 }];

/** Part of the suite: a conversation. */
export function converseTests({ compute, run, roundTrips }: Bench): void {
  const answerer = async (command: string, more?: Partial<RunSpec>) => {
    const { spec } = await run('echo 3 > factor');
    return compute().converse({ ...spec, command, artefacts: FACTOR, ...more });
  };

  it('goes back and forth, beside what the ended run left', async () => {
    const talk = await answerer('while read -r n; do echo $((n * $(cat factor))); done; echo done >&2; exit 4');
    const answers = talk.output[Symbol.asyncIterator]();
    for (const n of [1, 20, 300]) {
      await talk.write(bytes(`${n}\n`));
      expect(Buffer.from((await answers.next()).value as Uint8Array).toString()).toBe(`${n * 3}\n`);
    }
    talk.end();
    expect((await answers.next()).done).toBe(true);
    expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 4, treeGone: true });
    const { sandboxed, containment } = talk.confinement;
    expect(await talk.ended).toMatchObject({ sandboxed, containment });
    expect(talk.stderrTail()).toBe('done\n');
    await talk.stop();
  });

  it('takes one round trip for each question', async () => {
    const talk = await answerer('while read -r n; do echo $n; done');
    const answers = talk.output[Symbol.asyncIterator]();
    const ask = async (n: number): Promise<void> => {
      await talk.write(bytes(`${n}\n`));
      expect(Buffer.from((await answers.next()).value as Uint8Array).toString()).toBe(`${n}\n`);
    };
    // The first answer shows that the program has started.
    await ask(0);
    const before = roundTrips?.() ?? 0;
    for (let n = 1; n <= QUESTIONS; n += 1) await ask(n);
    expect(((roundTrips?.() ?? 0) - before) / QUESTIONS).toBeLessThanOrEqual(MOST_TRIPS);
    await talk.stop();
  });

  it('reads private files of its run, though the slot would get another user by now', async () => {
    const { spec } = await run('umask 077; echo 5 > own');
    const slot = { ...spec.slot, index: spec.slot.index + 1 };
    const artefacts = [{ path: 'own', maxBytes: 100 }];
    const talk = await compute().converse({ ...spec, slot, artefacts, command: 'cat own' });
    expect(Buffer.from((await talk.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString()).toBe('5\n');
    expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 0 });
    await talk.stop();
  });

  /** Returns the output of a program that reads no input. */
  const outputOf = async (spec: RunSpec): Promise<string> => {
    const talk = await compute().converse(spec);
    const parts: Uint8Array[] = [];
    for await (const part of talk.output) parts.push(part);
    await talk.stop();
    return Buffer.concat(parts).toString();
  };

  it('shows workspace, candidate and named artefacts within their bounds, and nothing else of the run', async () => {
    const { spec } = await run(
      [
        'head -c 5000000 /dev/zero > hidden.bin; mkdir -p out; echo 4 > out/small; chmod 755 out/small',
        'head -c 2000 /dev/zero > large; ln -s hidden.bin link; mkdir folder; cp hidden.bin folder/; mkfifo pipe',
        'cp hidden.bin "$TMPDIR/"; echo changed > main.txt; echo up > .dot',
      ].join('; '),
    );
    const named = ['out/small', 'large', 'link', 'folder', 'pipe', 'gone'];
    const text = await outputOf({
      ...spec,
      artefacts: named.map((path) => ({ path, maxBytes: 1000 })),
      command:
        'cat main.txt; echo; find . ! -type d | sort; ls "$TMPDIR" | grep hidden; [ -x out/small ] && cat out/small',
    });
    expect(text).toBe('mutable\n./fixed/data.txt\n./main.txt\n./out/small\n./tool\n4\n');
  });

  it('shows an artefact that replaced a mutable file; the next conversation has the original workspace', async () => {
    const { spec } = await run('echo better > main.txt');
    const artefacts = [{ path: 'main.txt', maxBytes: 100 }];
    expect(await outputOf({ ...spec, artefacts, command: 'cat main.txt; echo worse > main.txt' })).toBe('better\n');
    expect(await outputOf({ ...spec, command: 'cat main.txt' })).toBe('mutable');
  });

  it('leaves nothing of its folder behind', async () => {
    const { spec } = await run('true');
    const folder = (await outputOf({ ...spec, sandbox: 'none', command: 'pwd' })).trim();
    expect(folder).toContain('/talk-');
    const { text } = await run('[ -e "$FOLDER" ] || echo gone', { sandbox: 'none', env: { FOLDER: folder } });
    expect(text).toBe('gone\n');
  });

  it('carries megabytes unharmed', async () => {
    const talk = await answerer('cat');
    const sent = Buffer.alloc(3_000_000, 'abcdefg');
    const received = (async () => {
      const parts: Uint8Array[] = [];
      for await (const part of talk.output) parts.push(part);
      return Buffer.concat(parts);
    })();
    await talk.write(sent);
    talk.end();
    expect((await received).equals(sent)).toBe(true);
  });

  it('is stopped with all its processes, whatever they ignore', async () => {
    const talk = await answerer(`trap '' TERM; setsid sleep 4329 & echo up; while :; do sleep 4329; done`);
    await talk.output[Symbol.asyncIterator]().next();
    await talk.stop();
    expect(await talk.ended).toMatchObject({ reason: 'killed', treeGone: true, endedBy: 'stop' });
  });

  it('is replaced by a newer one with the same run, and does not blame the program', async () => {
    const { spec } = await run('echo 3 > factor');
    const older = await compute().converse({ ...spec, command: `trap '' TERM; echo up; while :; do sleep 4332; done` });
    await older.output[Symbol.asyncIterator]().next();
    const newer = await compute().converse({ ...spec, artefacts: FACTOR, command: 'read -r n; cat factor' });
    await expect(older.ended).rejects.toMatchObject({ name: 'ConversationReplacedError' });
    await older.stop();
    await newer.write(bytes('1\n'));
    expect(Buffer.from((await newer.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString()).toBe('3\n');
    expect(await newer.ended).toMatchObject({ reason: 'exit', exitCode: 0 });
    await newer.stop();
  });

  it('is refused for good once its run was removed, as is collecting that run', async () => {
    const { spec } = await run('true');
    await compute().remove(spec);
    const gone = { name: 'RunGoneError', message: expect.stringContaining('it is absent') as string };
    await expect(compute().converse({ ...spec, command: 'true' })).rejects.toMatchObject(gone);
    await expect(compute().collect(spec, { artefacts: [] })).rejects.toMatchObject(gone);
  });

  it('is ended by a kill of its run, whose slot is free then', async () => {
    const { spec } = await run('echo 3 > factor');
    const talk = await compute().converse({ ...spec, command: 'echo up; sleep 4331' });
    await talk.output[Symbol.asyncIterator]().next();
    await compute().kill(spec, spec.fence);
    const end = await talk.ended;
    expect(end).toMatchObject({ reason: 'killed', treeGone: true });
    // A program without a sandbox or user of its own may have ended itself.
    expect(end.endedBy).toBe(isIsolated(end) ? 'others' : undefined);
    await compute().remove(spec);
    expect(await compute().inspect(spec)).toEqual({ state: 'absent' });
  });

  it('goes on whatever is written to its lifeline, which a program without a sandbox can reach', async () => {
    const command =
      'for life in ../talk-*/life /proc/[0-9]*/fd/3; do [ ! -p "$life" ] || echo >"$life"; done; read -r n; echo on';
    const talk = await answerer(command, { sandbox: 'none' });
    await talk.write(bytes('1\n'));
    expect(Buffer.from((await talk.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString()).toBe('on\n');
    expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 0 });
    await talk.stop();
  });

  it('ends at its wall limit', async () => {
    // The limit includes building the sandbox. A conversation that ends before that is lost, so it gets more time.
    const endOf = async (wallSeconds: number) =>
      (await answerer('sleep 4330', { limits: { ...LIMITS, wallSeconds } })).ended;
    const end = await endOf(6).catch(() => endOf(LIMITS.wallSeconds));
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
  });

  it('ends as output-limit if its stderr exceeds the limit of output', async () => {
    const talk = await answerer('yes flood >&2', { limits: { ...LIMITS, outputBytes: 200_000 } });
    const end = await talk.ended;
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
    expect(end.outputBytes).toBeGreaterThan(200_000);
    expect(end.outputBytes).toBeLessThan(2_000_000);
    expect(talk.stderrTail()).toContain('flood\nflood\n');
    await talk.stop();
  });

  it('ends as output-limit, too, if the program ended before the limit was enforced', async () => {
    const talk = await answerer('head -c 5000 /dev/zero >&2', { limits: { ...LIMITS, outputBytes: 1000 } });
    expect(await talk.ended).toMatchObject({ reason: 'output' });
  });

  it('may fill its stderr up to the limit', async () => {
    const talk = await answerer('head -c 5000 /dev/zero >&2; exit 4', { limits: { ...LIMITS, outputBytes: 5000 } });
    expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 4, outputBytes: 5000 });
  });

  it('is refused while the run has not ended', async () => {
    const spec = specOf('sleep 4331');
    await compute().launch(spec);
    await expect(compute().converse(spec)).rejects.toThrow('ended run');
    await compute().kill(spec, spec.fence);
  });
}
