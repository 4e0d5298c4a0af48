import { expect, test } from 'vitest';
import { followWithWaitNotes } from '../../../../cli/run/wait/follow-with-wait-notes.ts';

/** What is told where looks find these one after the other, each an answer or a failure. */
async function toldOf(found: (string | null | Error)[]): Promise<string[]> {
  const told: string[] = [];
  let over = (): void => undefined;
  const followed = new Promise<void>((resolve) => (over = resolve));
  const left = [...found];
  const look = (): Promise<string | null> => {
    const next = left.shift() ?? null;
    if (left.length === 0) over();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  await followWithWaitNotes({ probe: look, report: (why) => told.push(why), pauseMs: 1 }, () => followed);
  return told;
}

test('a reason is told once, though its numbers change, and another one after it', async () => {
  const found = ['room: 3 MiB', 'room: 2 MiB', 'room: 1 MiB', null, 'room: 1 MiB', 'room: 1 MiB', 'slot', 'slot', null];
  expect(await toldOf(found)).toEqual(['room: 2 MiB', 'slot']);
});

test('what only one look has found is not told', async () => {
  expect(await toldOf(['slot', null, 'slot', new Error('no rights'), 'slot', null])).toEqual([]);
});

test('looks that go on failing are told of once', async () => {
  const failed = new Error('no rights');
  expect(await toldOf([failed, failed, failed, null])).toEqual(['why it waits cannot be told: no rights']);
});

test('a failure of whoever follows it is passed on', async () => {
  const failed = followWithWaitNotes({ probe: () => Promise.resolve(null), report: () => undefined }, () =>
    Promise.reject(new Error('gone')),
  );
  await expect(failed).rejects.toThrow('gone');
});
