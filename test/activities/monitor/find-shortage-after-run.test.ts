import { expect, test } from 'vitest';
import {
  type Ended,
  findShortageAfterRun,
  findShortageAfterConversation,
} from '../../../activities/monitor/find-shortage-after-run.ts';
import type { FailedRun } from '../../../domain/fleet/gpus.ts';
import type { RunEnd } from '../../../infra/compute.ts';

const GONE = 'GPU-1 is gone';
const RUN = { host: 'box', fence: 7 };
/** A run of a user of its own, whose host does not tell since when. */
const UNTOLD = { wallSeconds: 7, treeGone: true, containment: 'uid', sandboxed: false } as RunEnd;
const END: RunEnd = { ...UNTOLD, upSeconds: 50 };
const KNOWN = { gpu: 'GPU-1', began: 50, ended: 57, contained: true, asUs: false };

/** What a host that lacks its GPU is asked, and a machine with so much room says. */
function hostOf({ ownHost = false, freeMb = 4096, fence = RUN.fence } = {}) {
  const asked: (FailedRun | null)[] = [];
  const of = {
    key: { trialId: 'a/1' },
    run: RUN,
    deps: {
      store: { slot: { findLease: () => Promise.resolve({ fence, gpu: 'GPU-1' }) } },
      hosts: {
        isOwnHost: () => ownHost,
        shortageOf: (_: string, run: FailedRun | null) => Promise.resolve((asked.push(run), GONE)),
      },
      machine: { freeDisk: () => Promise.resolve({ bytes: freeMb * 1024 * 1024, files: null }) },
    },
  } as unknown as Ended;
  return { of, asked };
}
const askedAfter = async (end: RunEnd, on?: Parameters<typeof hostOf>[0]): Promise<FailedRun | null | undefined> => {
  const { of, asked } = hostOf(on);
  expect(await findShortageAfterRun(of, end)).toBe(GONE);
  return asked[0];
};

test('a host is asked from when to when the run was on its GPU, and if something of it may be there still', async () => {
  expect(await askedAfter(END)).toEqual(KNOWN);
  const inNamespaces = { ...END, containment: 'pid-namespace' } as const;
  expect(await askedAfter({ ...inNamespaces, sandboxed: true })).toEqual(KNOWN);
  const mayBeLeft = { ...KNOWN, contained: false };
  // It may have asked somebody outside to start it.
  expect(await askedAfter({ ...inNamespaces, sandboxed: false })).toEqual({ ...mayBeLeft, asUs: true });
  expect(await askedAfter({ ...END, containment: 'process-group' })).toEqual({ ...mayBeLeft, asUs: true });
  expect(await askedAfter({ ...END, treeGone: false })).toEqual(mayBeLeft);
  expect(await askedAfter(UNTOLD)).toEqual({ ...KNOWN, began: null, ended: null });
});

test('a GPU that was lent to somebody else since is not asked for', async () => {
  expect(await askedAfter(END, { fence: 8 })).toEqual({ ...KNOWN, gpu: null });
});

test('after a talk a host is asked of both programs, without an end of it until now', async () => {
  const { of, asked } = hostOf();
  const talk = { ...END, upSeconds: 90, containment: 'process-group' } as const;
  expect(await findShortageAfterConversation(of, { end: END, talk })).toBe(GONE);
  expect(await findShortageAfterConversation(of, { end: END, talk: { ...END, upSeconds: 20 } })).toBe(GONE);
  expect(await findShortageAfterConversation(of, { end: END, talk: undefined })).toBe(GONE);
  expect(asked).toEqual([
    { ...KNOWN, began: 50, ended: 97, contained: false, asUs: true },
    { ...KNOWN, began: 20, ended: 27 },
    { ...KNOWN, ended: null, contained: false },
  ]);
});

test('this machine is asked for room alone', async () => {
  const { of, asked } = hostOf({ ownHost: true, freeMb: 3 });
  expect(await findShortageAfterRun(of, END)).toMatch(/^disk: 3 MiB free, at least 512 MiB needed; make room /);
  expect(await findShortageAfterRun(hostOf({ ownHost: true }).of, END)).toBeNull();
  expect(asked).toEqual([]);
});
