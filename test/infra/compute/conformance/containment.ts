import { expect, it } from 'vitest';
import { followToEnd, type Bench } from './support.ts';

/** Part of the suite: containment. */
export function containmentTests({ compute, run }: Bench): void {
  it.each([
    ['a child in a session of its own', 'setsid sh -c "sleep 4332" & sleep 0.1'],
    ['a daemon that forked twice', '(setsid sh -c "(sleep 4332 &) ; exit") & sleep 0.1'],
    ['a child that ignores TERM', `sh -c "trap '' TERM HUP; sleep 4332" & sleep 0.1`],
    ['a child that dropped its environment', 'env -i setsid sh -c "sleep 4332" & sleep 0.1'],
  ])('leaves nothing of %s', async (_, command) => {
    const { end, spec } = await run(`${command}; echo over`);
    expect(end).toMatchObject({ reason: 'exit', treeGone: true });
    // The pipe is closed: nothing that could still write holds it.
    expect((await followToEnd(compute(), spec)).text).toBe('over\n');
  });
}
