import { expect, it } from 'vitest';
import { markedProcesses } from '../../../support/process/marked-processes.ts';
import { followToEnd, specOf, type Bench } from './support.ts';

let count = 0;
/** Seconds that a child would go on; nothing else on the machine has this number in its command line. */
const newMark = (): string => String(100_000_000 + process.pid * 100 + (count += 1));

const STRAYS: [string, (mark: string) => string][] = [
  ['a child in a session of its own', (mark) => `setsid sh -c "sleep ${mark}" & sleep 0.1`],
  ['a daemon that forked twice', (mark) => `(setsid sh -c "(sleep ${mark} &) ; exit") & sleep 0.1`],
  ['a child that ignores TERM', (mark) => `sh -c "trap '' TERM HUP; sleep ${mark}" & sleep 0.1`],
  ['a child that dropped its environment', (mark) => `env -i setsid sh -c "sleep ${mark}" & sleep 0.1`],
];

/** Part of the suite: containment. */
export function containmentTests({ compute, run }: Bench): void {
  it.each(STRAYS)('leaves nothing of %s', async (_, stray) => {
    const mark = newMark();
    const { end, spec } = await run(`${stray(mark)}; echo over`);
    expect(markedProcesses(mark)).toEqual([]);
    expect(end).toMatchObject({ reason: 'exit', treeGone: true });
    // The pipe is closed: nothing that could still write holds it.
    expect((await followToEnd(compute(), spec)).text).toBe('over\n');
  });

  it.each(STRAYS)('leaves nothing of %s where the run is killed', async (_, stray) => {
    const [mark, own] = [newMark(), newMark()];
    const spec = specOf(`${stray(mark)}; exec sleep ${own}`);
    await compute().launch(spec);
    // The control: while it runs, a look at the machine sees it.
    await expect.poll(() => markedProcesses(`sleep\0${own}`)).toHaveLength(1);
    await expect.poll(() => markedProcesses(`sleep\0${mark}`)).toHaveLength(1);
    await compute().kill(spec, spec.fence);
    expect([...markedProcesses(mark), ...markedProcesses(own)]).toEqual([]);
  });
}
