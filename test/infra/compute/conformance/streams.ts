import { expect, it } from 'vitest';
import type { FollowEvent, Offsets, RunSpec } from '../../../../infra/compute.ts';
import { LIMITS, never, specOf, type Bench } from './support.ts';

const APART = { apart: true };
const BEGINNING: Offsets = { stdout: 0, stderr: 0 };

/** Part of the suite: the two streams of a run. */
export function streamsTests({ compute, run }: Bench): void {
  /** Follows both streams separately, to the end or until `until` is true; returns their texts and the last event. */
  const follow = async (
    spec: RunSpec,
    {
      from = BEGINNING,
      until = () => false,
    }: { from?: Offsets; until?: (text: Record<string, string>) => boolean } = {},
  ) => {
    const text = { stdout: '', stderr: '' };
    const next = { ...from };
    let last: FollowEvent | undefined;
    for await (const event of compute().follow(spec, from, never)) {
      if (event.type === 'looked') continue;
      last = event;
      if (event.type !== 'output') continue;
      const { stream } = event;
      if (!stream) throw new Error('expected the name of a stream');
      expect(event.offset).toBe(next[stream]);
      next[stream] += event.chunk.length;
      text[stream] += Buffer.from(event.chunk).toString('utf8');
      if (until(text)) break;
    }
    return { ...text, last: last?.type };
  };
  const stdoutOf = async (command: string): Promise<string | undefined> => {
    const { spec } = await run(command, APART);
    return (await compute().collect(spec, { artefacts: [], stdout: true })).stdoutTail;
  };

  it('are kept apart, even if one prints in the middle of a line of the other', async () => {
    const { spec, text } = await run(
      `printf 'loss: 0.12'; printf '\\n' >&2; sleep .1; printf '345\\n'; printf 'bar ' >&2; ` +
        `sleep .1; printf 'end'; printf '\\rbar' >&2`,
      APART,
    );
    const streams = { stdout: 'loss: 0.12345\nend', stderr: '\nbar \rbar' };
    expect(await follow(spec)).toEqual({ ...streams, last: 'ended' });
    expect(await follow(spec, { from: { stdout: 6, stderr: 5 } })).toEqual({
      stdout: '0.12345\nend',
      stderr: '\rbar',
      last: 'ended',
    });
    // The log has the bytes of both streams, in approximate order.
    expect([...text].sort()).toEqual([...streams.stdout, ...streams.stderr].sort());
    const collected = await compute().collect(spec, { artefacts: [], stdout: true });
    expect(collected).toMatchObject({ logTail: text, stdoutTail: streams.stdout });
    expect(collected.end.outputBytes).toBe(text.length);
    expect((await compute().collect(spec, { artefacts: [] })).stdoutTail).toBeUndefined();
  });

  it('are one, in their order, unless the run keeps them apart', async () => {
    const { spec, text } = await run('for n in 1 2 3 4 5 6 7 8 9; do printf $n; printf $n >&2; done');
    expect(text).toBe('112233445566778899');
    expect(await follow(spec, { from: { stdout: 2, stderr: 0 } })).toEqual({
      stdout: '2233445566778899',
      stderr: '',
      last: 'ended',
    });
    expect((await compute().collect(spec, { artefacts: [], stdout: true })).stdoutTail).toBe(text);
  });

  it('report a line before its newline while the run goes on, and keep it when the run is killed', async () => {
    const spec = specOf(`printf 'ready> '; printf '\\r 5%%' >&2; sleep 4330`, APART);
    await compute().launch(spec);
    const seen = await follow(spec, { until: ({ stdout, stderr }) => stdout !== '' && stderr !== '' });
    expect(seen).toMatchObject({ stdout: 'ready> ', stderr: '\r 5%' });
    await compute().kill(spec, spec.fence);
    expect(await follow(spec)).toEqual({ stdout: 'ready> ', stderr: '\r 5%', last: 'ended' });
  });

  it('have one limit together', async () => {
    const limits = { ...LIMITS, outputBytes: 100_000 };
    const { spec, text, end } = await run(`yes out & yes err >&2`, { ...APART, limits });
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
    expect(text.length).toBeGreaterThan(99_000);
    expect(text.length).toBeLessThan(101_000);
    const { stdout, stderr } = await follow(spec);
    for (const stream of [stdout, stderr]) expect(stream.length).toBeLessThan(101_000);
    expect(stdout).toMatch(/^(out\n)*(out?|o)?$/);
    expect(stderr).toMatch(/^(err\n)*(err?|e)?$/);
  });

  it('end a run that floods stderr while its stdout is silent', async () => {
    const { end } = await run('yes >&2', { ...APART, limits: { ...LIMITS, outputBytes: 100_000 } });
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
  });

  it('keep the whole lines of the last 64 KiB of stdout', async () => {
    const x = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;
    expect(await stdoutOf(`${x(70_000)}; printf ' loss: 1\\nend'`)).toBe('end');
    expect(await stdoutOf(`echo first; ${x(65_535)}; echo; ${x(100)} >&2`)).toBe(`${'x'.repeat(65_535)}\n`);
    expect(await stdoutOf(`echo first; ${x(65_536)}; echo`)).toBe('');
    expect(await stdoutOf(`printf 'é\\n'; ${x(65_530)}; printf '\\r\\nü'`)).toBe(`${'x'.repeat(65_530)}\r\nü`);
  });
}
