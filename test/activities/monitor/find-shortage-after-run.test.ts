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
/** The end of a run with a user of its own, on a host that does not report the uptime. */
const WITHOUT_UPTIME = { wallSeconds: 7, treeGone: true, containment: 'uid', sandboxed: false } as RunEnd;
const END: RunEnd = { ...WITHOUT_UPTIME, upSeconds: 50 };
const KNOWN = { gpu: 'GPU-1', began: 50, ended: 57, contained: true, ranAsOurUser: false };

/** A run that ended on a host without its GPU and with so much room, and the questions to that host. */
function hostOf({ ownHost = false, freeMb = 4096, fence = RUN.fence } = {}) {
  const asked: (FailedRun | null)[] = [];
  const ended = {
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
  return { ended, asked };
}
const askedAfter = async (
  end: RunEnd,
  options?: Parameters<typeof hostOf>[0],
): Promise<FailedRun | null | undefined> => {
  const { ended, asked } = hostOf(options);
  expect(await findShortageAfterRun(ended, end)).toBe(GONE);
  return asked[0];
};

test('a host is asked when the run was on its GPU, and if something of the run may still be there', async () => {
  expect(await askedAfter(END)).toEqual(KNOWN);
  const inNamespaces = { ...END, containment: 'pid-namespace' } as const;
  expect(await askedAfter({ ...inNamespaces, sandboxed: true })).toEqual(KNOWN);
  const mayBeLeft = { ...KNOWN, contained: false };
  // The run may have asked a process outside to start something.
  expect(await askedAfter({ ...inNamespaces, sandboxed: false })).toEqual({ ...mayBeLeft, ranAsOurUser: true });
  expect(await askedAfter({ ...END, containment: 'process-group' })).toEqual({ ...mayBeLeft, ranAsOurUser: true });
  expect(await askedAfter({ ...END, treeGone: false })).toEqual(mayBeLeft);
  expect(await askedAfter(WITHOUT_UPTIME)).toEqual({ ...KNOWN, began: null, ended: null });
});

test('a GPU that was lent to somebody else since is not asked for', async () => {
  expect(await askedAfter(END, { fence: 8 })).toEqual({ ...KNOWN, gpu: null });
});

test('after a conversation the question covers both programs, and has no end if the talk has none', async () => {
  const { ended, asked } = hostOf();
  const talk = { ...END, upSeconds: 90, containment: 'process-group' } as const;
  expect(await findShortageAfterConversation(ended, { end: END, talk })).toBe(GONE);
  expect(await findShortageAfterConversation(ended, { end: END, talk: { ...END, upSeconds: 20 } })).toBe(GONE);
  expect(await findShortageAfterConversation(ended, { end: END, talk: undefined })).toBe(GONE);
  expect(asked).toEqual([
    { ...KNOWN, began: 50, ended: 97, contained: false, ranAsOurUser: true },
    { ...KNOWN, began: 20, ended: 27 },
    { ...KNOWN, ended: null, contained: false },
  ]);
});

test('this machine is asked for room alone', async () => {
  const { ended, asked } = hostOf({ ownHost: true, freeMb: 3 });
  expect(await findShortageAfterRun(ended, END)).toMatch(/^disk: 3 MiB free, at least 512 MiB needed; make room /);
  expect(await findShortageAfterRun(hostOf({ ownHost: true }).ended, END)).toBeNull();
  expect(asked).toEqual([]);
});
