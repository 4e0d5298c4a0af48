import { expect, test } from 'vitest';
import { followWithWaitNotes } from '../../../../cli/run/wait/follow-with-wait-notes.ts';

/** Reports that are made if probes have these results, one after the other: each an answer or a failure. */
async function reportsOf(found: (string | null | Error)[]): Promise<string[]> {
  const reports: string[] = [];
  let over = (): void => undefined;
  const followed = new Promise<void>((resolve) => (over = resolve));
  const remaining = [...found];
  const probe = (): Promise<string | null> => {
    const next = remaining.shift() ?? null;
    if (remaining.length === 0) over();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  await followWithWaitNotes({ probe, report: (why) => reports.push(why), pauseMs: 1 }, () => followed);
  return reports;
}

test('a reason is reported once, though its numbers change, and another reason after it', async () => {
  const found = ['room: 3 MiB', 'room: 2 MiB', 'room: 1 MiB', null, 'room: 1 MiB', 'room: 1 MiB', 'slot', 'slot', null];
  expect(await reportsOf(found)).toEqual(['room: 2 MiB', 'slot']);
});

test('a reason that only one probe has found is not reported', async () => {
  expect(await reportsOf(['slot', null, 'slot', new Error('no rights'), 'slot', null])).toEqual([]);
});

test('probes that keep failing are reported once', async () => {
  const failed = new Error('no rights');
  expect(await reportsOf([failed, failed, failed, null])).toEqual(['why it waits is not known: no rights']);
});

test('a failure of the follower is passed on', async () => {
  const failed = followWithWaitNotes({ probe: () => Promise.resolve(null), report: () => undefined }, () =>
    Promise.reject(new Error('gone')),
  );
  await expect(failed).rejects.toThrow('gone');
});
