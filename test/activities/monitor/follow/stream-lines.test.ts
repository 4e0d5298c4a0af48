import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamName } from '../../../../infra/compute.ts';
import { at, openFollower } from '../support/open-follower.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: at(0) }));
afterEach(() => void vi.useRealTimers());

/** Output of a run to its streams, piece by piece. */
type Printed = [stream: StreamName, text: string][];

/**
 * Follows output in pieces of at most so many bytes. Before each piece another follower takes over from the last
 * commit, and reads again the output after it. Returns the stored points, and the decisions of the followers.
 */
async function followInTurn(printed: Printed, size: number): Promise<{ points: unknown[]; decided: string[] }> {
  const whole = { stdout: '', stderr: '' };
  const [points, decided] = [[] as unknown[], [] as string[]];
  let run: { logOffset: number; reader: unknown } = { logOffset: 0, reader: null };
  const pieces = printed.flatMap(([stream, text]) =>
    (
      Buffer.from(text)
        .toString('latin1')
        .match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    ).map((piece) => [stream, piece] as const),
  );
  for (const [stream, piece] of [...pieces, ['stdout', ''] as const]) {
    whole[stream] += piece;
    const { follower, saved } = openFollower({ run });
    const { from } = follower;
    if (typeof from === 'number') throw new Error('expected an offset of each stream');
    for (const each of ['stdout', 'stderr'] as const)
      follower.push(
        { stream: each, chunk: Buffer.from(whole[each].slice(from[each]), 'latin1'), since: null },
        (failure) => decided.push(failure.label),
      );
    vi.setSystemTime(Date.now() + 2000);
    await (piece === '' ? follower.flush() : follower.commit());
    for (const progress of saved) {
      expect(progress.from).toBe(run.logOffset);
      run = { logOffset: progress.to, reader: JSON.parse(JSON.stringify(progress.reader)) as unknown };
      points.push(...progress.points.map(({ step, value }) => [step, value]));
    }
  }
  return { points, decided };
}

const long = 'x'.repeat(70_000);

test.each<[string, Printed, [number, number][]]>([
  [
    'line feeds',
    [['stdout', '1 1\n2 1\n3 1']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'carriage returns before each state',
    [['stderr', '\r1 1\r2 1\r3 1']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'carriage returns behind each state',
    [['stderr', '1 1\r2 1\r3 1\r']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'both at each end',
    [['stdout', '1 1\r\n2 1\r\r\n3 1\r\n']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'backspaces',
    [['stdout', '1 1\b\b\b\r2 1\b\b\b3 1']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'codes that draw a line again',
    [['stdout', '1 1\x1b[2K\x1b[1G2 1\x1b[A\x1b[2K\r3 1\x1b[K\n']],
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  ],
  [
    'colours',
    [['stdout', '\x1b[32m1 \x1b[1m1\x1b[0m\n\x1b]0;9 9\x072 1\x1b[0m\n']],
    [
      [1, 1],
      [2, 1],
    ],
  ],
  [
    'states that are drawn again',
    [['stderr', '\r1 1\r1 1\r1 1\r2 1\r2 2\r1 1']],
    [
      [1, 1],
      [2, 1],
      [2, 2],
      [1, 1],
    ],
  ],
  [
    'both streams in the middle of a line',
    [
      ['stdout', '1 '],
      ['stderr', '\n2 '],
      ['stdout', '1\n'],
      ['stderr', '7\n'],
    ],
    [
      [1, 1],
      [2, 7],
    ],
  ],
  [
    'a bar that never ends beside lines',
    [
      ['stderr', '\r 50%|####'],
      ['stdout', '1 1\n'],
      ['stderr', '\r100%'],
      ['stdout', '2 1\n'],
    ],
    [
      [1, 1],
      [2, 1],
    ],
  ],
  [
    'what is not of ASCII',
    [['stdout', '日本\r1 1 é\r🎉\n2 1 ü\n']],
    [
      [1, 1],
      [2, 1],
    ],
  ],
])(
  '%s give the same points in whatever pieces they come, and none is lost or doubled when another takes over',
  async (_, printed, points) => {
    for (const size of [1, 2, 3, 1000]) expect(await followInTurn(printed, size)).toEqual({ points, decided: [] });
  },
);

test.each(['\n', '\r', '\r\n', '\x1b[2K\x1b[G'])(
  'a line of more than 64 KiB is skipped however it comes, and whoever follows, with %j at its end',
  async (end) => {
    const printed: Printed = [
      ['stdout', `1 1${end}${long} step\t`],
      ['stdout', `3 nan${end}`],
      ['stdout', `4 1${end}`],
    ];
    for (const size of [1000, 4096, 70_003, 1_000_000])
      expect(await followInTurn(printed, size)).toEqual({
        points: [
          [1, 1],
          [4, 1],
        ],
        decided: [],
      });
    // A long line that would give a point if it were shorter.
    const bare: Printed = [
      ['stdout', `1 1${end}3 nan${' '.repeat(70_000)}`],
      ['stdout', `3 nan${end}4 1${end}`],
    ];
    expect(await followInTurn(bare, 1_000_000)).toEqual({
      points: [
        [1, 1],
        [4, 1],
      ],
      decided: [],
    });
  },
);

test('a bar decides as lines do', async () => {
  const { decided } = await followInTurn([['stderr', '\r1 1\r2 nan\r3 1']], 1000);
  expect(decided).toEqual(['not-finite']);
});

test('a run that an older version laid out, and followed, goes on with its output as one stream', () => {
  const { follower } = openFollower({
    run: { logOffset: 120, reader: { seq: 3, rules: { first: 1, above: 0, broken: null } } },
  });
  expect(follower.from).toEqual({ stdout: 120, stderr: 0 });
});
