import { expect, it } from 'vitest';
import { markedProcesses } from '../../../support/process/marked-processes.ts';
import { followToEnd, specOf, type Bench } from './support.ts';

let count = 0;
/** Duration of a child's sleep in seconds; no other process on the machine has this number in its command line. */
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
    // The end of the output: no process that could still write holds the pipe.
    expect((await followToEnd(compute(), spec)).text).toBe('over\n');
  });

  it.each(STRAYS)('leaves nothing of %s if the run is killed', async (_, stray) => {
    const [mark, mainMark] = [newMark(), newMark()];
    const spec = specOf(`${stray(mark)}; exec sleep ${mainMark}`);
    await compute().launch(spec);
    // The control: the search finds both processes while they run.
    await expect.poll(() => markedProcesses(`sleep\0${mainMark}`)).toHaveLength(1);
    await expect.poll(() => markedProcesses(`sleep\0${mark}`)).toHaveLength(1);
    await compute().kill(spec, spec.fence);
    expect([...markedProcesses(mark), ...markedProcesses(mainMark)]).toEqual([]);
  });
}
