import { describe, expect, test } from 'vitest';
import { lacksRoom, REBOOTED, servesOn, shortageAfter } from '../../../activities/monitor/shortage.ts';
import type { StoredEnd } from '../../../activities/run/collect.ts';
import type { FollowedRun } from '../../../db/run/run.ts';
import type { FailedRun } from '../../../domain/fleet/gpus.ts';
import type { FailureLabel } from '../../../domain/trial.ts';

const GONE = 'GPU-1 is gone';
const RUN = { host: 'box', fence: 7 } as FollowedRun;

/** What is found after such an end on a host that lacks something, and which GPU was asked for. */
async function found(
  end: Partial<StoredEnd>,
  on: { stop?: FailureLabel; ownHost?: boolean; freeMb?: number; fence?: number } = {},
): Promise<{ shortage: string | null; asked: (string | null)[]; of: (FailedRun | null)[] }> {
  const { stop, ownHost = false, freeMb = 4096, fence = RUN.fence } = on;
  const of: (FailedRun | null)[] = [];
  const store = {
    run: { findRun: () => Promise.resolve({ stop: stop ? { label: stop, message: '' } : null }) },
    slot: { findLease: () => Promise.resolve({ fence, gpu: 'GPU-1' }) },
  };
  const deps = {
    store: store as never,
    hosts: {
      isOwnHost: () => ownHost,
      shortageOf: (_: string, run: FailedRun | null) => Promise.resolve((of.push(run), GONE)),
    },
    machine: { freeDisk: () => Promise.resolve({ bytes: freeMb * 1024 * 1024, files: null }) },
  };
  const ended = { reason: 'exit', exitCode: 0, missing: [], ...end } as unknown as StoredEnd;
  const shortage = await shortageAfter({ deps, key: { trialId: 'a/1', placement: 0 }, run: RUN }, ended);
  return { shortage, asked: of.map((run) => run?.gpu ?? null), of };
}

describe('where its machine lacks something by now, a run', () => {
  test.each<[string, Partial<StoredEnd>, FailureLabel?]>([
    ['that failed', { exitCode: 1 }],
    ['that left out an artefact', { missing: ['model.bin'] }],
    ['that hung until its time was over', { reason: 'wall' }],
    ['that was stopped since it printed nothing', { reason: 'killed' }, 'stalled'],
    ['that was stopped since it would take too long', { reason: 'killed' }, 'too-slow'],
  ])('%s was failed by it', async (_, end, stop) => {
    expect(await found(end, stop ? { stop } : {})).toMatchObject({ shortage: GONE, asked: ['GPU-1'] });
  });

  test('that failed says from when to when it was on its GPU, and whether something of it may be there still', async () => {
    const untold = { exitCode: 1, wallSeconds: 7, treeGone: true, containment: 'uid', sandboxed: false } as const;
    const end = { ...untold, upSeconds: 50 };
    const gone = { gpu: 'GPU-1', began: 50, ended: 57, contained: true, asUs: false };
    expect((await found(end)).of).toEqual([gone]);
    const inNamespaces = { ...end, containment: 'pid-namespace' } as const;
    expect((await found({ ...inNamespaces, sandboxed: true })).of).toEqual([gone]);
    const mayBeLeft = { ...gone, contained: false };
    // It may have asked somebody outside to start it.
    expect((await found({ ...inNamespaces, sandboxed: false })).of).toEqual([{ ...mayBeLeft, asUs: true }]);
    expect((await found({ ...end, containment: 'process-group' })).of).toEqual([{ ...mayBeLeft, asUs: true }]);
    expect((await found({ ...end, treeGone: false })).of).toEqual([mayBeLeft]);
    expect((await found(untold)).of).toEqual([{ ...gone, began: null, ended: null }]);
  });

  test.each<[string, Partial<StoredEnd>, FailureLabel?]>([
    ['that went well', {}],
    ['that used too much memory', { reason: 'memory' }],
    ['that filled the disk it may use', { reason: 'disk' }],
    ['that diverged', { reason: 'killed' }, 'diverged'],
    ['that could not win', { reason: 'killed' }, 'cannot-win'],
    ['that somebody stopped', { reason: 'killed' }],
  ])('%s ended by itself', async (_, end, stop) => {
    expect(await found(end, stop ? { stop } : {})).toMatchObject({ shortage: null, asked: [] });
  });
});

describe('where the stage that it was made from is damaged, a run', () => {
  const damaged = 'data.txt is not what was staged';
  test.each<[string, Partial<StoredEnd>, FailureLabel?]>([
    ['that seems to have changed files', { changed: ['data.txt'] }],
    ['that failed', { exitCode: 1 }],
    ['that went well, with whatever it read', {}],
    ['that was stopped since it diverged', { reason: 'killed' }, 'diverged'],
  ])('%s was failed by its machine, which goes on', async (_, end, stop) => {
    const { shortage, asked } = await found({ ...end, damaged }, stop ? { stop } : {});
    expect(shortage).toMatch(/damaged by something else.* data\.txt is not what was staged$/);
    expect([shortage !== null && servesOn(shortage), asked]).toEqual([true, []]);
  });

  test.each(['cannot-win', 'stopped-by-operator'] as const)('that was stopped as %s is not run again', async (stop) => {
    expect(await found({ reason: 'killed', damaged }, { stop })).toMatchObject({ shortage: null, asked: [] });
  });
});

describe('without a sandbox a run', () => {
  test('whose stage was moved under it was failed by that, unless it went well, or has a sandbox that keeps it', async () => {
    const aside = true;
    const { shortage } = await found({ exitCode: 1, aside, sandboxed: false });
    expect([shortage, shortage !== null && servesOn(shortage)]).toEqual([
      expect.stringContaining('taken out of its place'),
      true,
    ]);
    expect((await found({ aside, sandboxed: false })).shortage).toBeNull();
    expect((await found({ exitCode: 1, aside, sandboxed: true })).shortage).toBe(GONE);
  });
});

describe('where its machine was shut down since it began, a run', () => {
  test.each([true, false])('that failed was failed by it (this machine: %s)', async (ownHost) => {
    expect(await found({ exitCode: 1, rebooted: true }, { ownHost })).toMatchObject({ shortage: REBOOTED, asked: [] });
    expect((await found({ missing: ['model.bin'], rebooted: true }, { ownHost })).shortage).toBe(REBOOTED);
  });

  test('that went well did', async () => {
    expect((await found({ rebooted: true })).shortage).toBeNull();
    expect((await found({ rebooted: true, reason: 'memory' })).shortage).toBeNull();
  });
});

describe('a run of this machine', () => {
  test('is failed by it where its disk is full by now', async () => {
    const { shortage, asked } = await found({ exitCode: 1 }, { ownHost: true, freeMb: 3 });
    expect(shortage).toMatch(/^disk: 3 MiB free, at least 512 MiB needed; make room /);
    expect(asked).toEqual([]);
  });

  test('fails by itself where there is room, and ends well where there is none', async () => {
    expect((await found({ exitCode: 1 }, { ownHost: true })).shortage).toBeNull();
    expect((await found({ exitCode: 0 }, { ownHost: true, freeMb: 3 })).shortage).toBeNull();
  });
});

test('a GPU that was lent to somebody else since is not asked for', async () => {
  expect((await found({ exitCode: 1 }, { fence: 8 })).asked).toEqual([null]);
});

test.each<[string, { left: string | null; own?: boolean; expected: boolean }]>([
  ['a host of the fleet without room', { left: '1 MiB is left', expected: true }],
  ['a host of the fleet with room', { left: null, expected: false }],
  ['this machine', { left: '1 MiB is left', own: true, expected: false }],
])('%s is, or is not, one whose lost runs are removed', async (_, { left, own = false, expected }) => {
  const deps = {
    store: {} as never,
    hosts: { isOwnHost: () => own, shortageOf: () => Promise.resolve(left) },
    machine: { freeDisk: () => Promise.resolve({ bytes: 0, files: null }) },
  };
  expect(await lacksRoom({ deps, run: RUN })).toBe(expected);
});
