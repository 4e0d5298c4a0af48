import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { SandboxUnavailableError, type RunEnd, type SandboxMode } from '../../../../infra/compute.ts';
import { confine, protections } from '../../../../infra/compute/run-protocol/confinement/confine.ts';
import { PROCESS_GROUP, type Confinement } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { foundBy } from '../../../../infra/compute/run-protocol/confinement/probe-run.ts';
import type { RunHost } from '../../../../infra/compute/run-protocol/run-host.ts';
import { cacheConfinement } from '../../../../infra/compute/run-protocol/confinement/confinement-cache.ts';
import { STDOUT_BYTES, wholeLines } from '../../../../infra/compute/run-protocol/stdout-tail.ts';

describe('the confinement of a run', () => {
  const slot = { id: 'far/0', pool: 'far', index: 0, gpu: null };

  /** A host that offers the given confinement only, and notes the requests for a sandbox. */
  const hostWith = (has: Partial<Confinement>, asked: boolean[] = []): RunHost => ({
    host: 'far',
    installation: 'i',
    remote: true,
    path: '/bin',
    isRoot: () => Promise.resolve(true),
    confinement: (wanted) => {
      asked.push(wanted);
      return Promise.resolve({ ...PROCESS_GROUP, ...has });
    },
  });

  /** Confines a run on such a host; returns the sandbox requests and the outcome. */
  function confined(has: Partial<Confinement>, sandbox: SandboxMode) {
    const asked: boolean[] = [];
    return confine(hostWith(has, asked), { sandbox, slot }).then(({ uid }) => ({ asked, hasUser: uid !== null }));
  }

  const SANDBOXED = { sandboxed: true, ownUid: true, ownKeys: true, networkClosed: true, vsockClosed: true } as const;

  test.each([
    ['has a loopback', true, ' beyond its own loopback', ''],
    ['has none, and how to get it', false, '', ' fails. Install iproute2, busybox or perl.'],
  ])('says of a sandbox that it %s', async (_, loopback, reach, note) => {
    const end = { exitCode: 9, loopback } as RunEnd;
    const found = foundBy(end, { ...PROCESS_GROUP, ...SANDBOXED, containment: 'pid-namespace' });
    expect(found).toMatchObject({ networkClosed: true, loopback });
    const { exposure, notes } = await protections(hostWith({ ...found }), 'required');
    expect(exposure).toContain(`it reaches no network${reach}, no server and no other process.`);
    expect(notes.join('\n')).toBe(note && `A run has no loopback: a program that connects to itself by TCP${note}`);
  });

  test.each([
    ['can make no namespaces', {}, /only root can give a run a user of its own/],
    ['has a user for it, and an open network', { ownUid: true }, /did not get the filter .* \(install perl;/],
  ])('a run that requires a sandbox is refused by a host that %s', async (_, has, lack) => {
    const refused = confined(has, 'required');
    await expect(refused).rejects.toBeInstanceOf(SandboxUnavailableError);
    await expect(refused).rejects.toThrow(/^sandbox: required, but host far cannot close its network .*: /);
    await expect(refused).rejects.toThrow(/: it makes no namespaces .*give root the right CAP_SYS_ADMIN/);
    await expect(refused).rejects.toThrow(lack);
    await expect(refused).rejects.toThrow('sandbox: preferred');
  });

  test.each([
    ['a sandbox', { sandboxed: true, networkClosed: true }, 'required', { asked: [true], hasUser: false }],
    [
      'a user of its own and a closed network',
      { ownUid: true, networkClosed: true },
      'required',
      { asked: [true], hasUser: true },
    ],
    ['nothing, if a sandbox is preferred', {}, 'preferred', { asked: [true], hasUser: false }],
    ['nothing, if no sandbox is wanted', {}, 'none', { asked: [false], hasUser: false }],
  ] as const)('a run is taken by a host that has %s', async (_, has, sandbox, expected) => {
    expect(await confined(has, sandbox)).toEqual(expected);
  });
});

const SANDBOX: Confinement = { ...PROCESS_GROUP, sandboxed: true };

describe('the confinement that a machine offers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is probed once if there is a sandbox', async () => {
    const probe = vi.fn(async () => Promise.resolve(SANDBOX));
    const { confinement } = cacheConfinement(probe);
    expect(await confinement(true)).toBe(SANDBOX);
    vi.advanceTimersByTime(3_600_000);
    expect(await confinement(true)).toBe(SANDBOX);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('is probed again a minute after there was no sandbox, without a restart', async () => {
    const answers = [PROCESS_GROUP, SANDBOX];
    const { confinement } = cacheConfinement(async () => Promise.resolve(answers.shift() ?? PROCESS_GROUP));
    expect(await confinement(true)).toBe(PROCESS_GROUP);
    vi.advanceTimersByTime(59_000);
    expect(await confinement(true)).toBe(PROCESS_GROUP);
    vi.advanceTimersByTime(2_000);
    expect(await confinement(true)).toBe(SANDBOX);
  });

  it('is probed again after forget()', async () => {
    const answers = [SANDBOX, PROCESS_GROUP];
    const { confinement, forget } = cacheConfinement(async () => Promise.resolve(answers.shift() ?? SANDBOX));
    expect(await confinement(true)).toBe(SANDBOX);
    forget();
    expect(await confinement(true)).toBe(PROCESS_GROUP);
  });

  it('is probed again after a probe that failed', async () => {
    const probe = vi.fn<(sandbox: boolean) => Promise<Confinement>>().mockRejectedValueOnce(new Error('ENOSPC'));
    probe.mockResolvedValue(SANDBOX);
    const { confinement } = cacheConfinement(probe);
    await expect(confinement(true)).rejects.toThrow('ENOSPC');
    expect(await confinement(true)).toBe(SANDBOX);
  });
});

describe('the end of stdout', () => {
  const tailOf = (text: string): string => wholeLines(Buffer.from(text).subarray(-STDOUT_BYTES));
  const x = 'x'.repeat(65_536);

  test.each([
    ['all of a short text', 'a\nb', 'a\nb'],
    ['all of a text that just fits', `${x.slice(2)}\nb`, `${x.slice(2)}\nb`],
    ['no line whose beginning is missing', `loss: 1${x}loss: 2\nend\n`, 'end\n'],
    ['the first line if the byte before it ended another', `loss: 1\n${x.slice(1)}\n`, `${x.slice(1)}\n`],
    ['the text after a carriage return', `${x}\rloss: 2\r`, 'loss: 2\r'],
    ['the text after a code that ends a line', `${x}\x1b[2K\x1b[Gloss: 2`, '\x1b[Gloss: 2'],
    ['nothing of one line that is too long', `${x}x`, ''],
    ['whole characters', `日${'本'.repeat(21_845)}\n日本`, '日本'],
  ])('keeps %s', (_, text, tail) => expect(tailOf(text)).toBe(tail));

  test('keeps control codes of one byte', () => {
    expect(wholeLines(Buffer.from([0x61, 0x9b, 0x6d, 0x0a]))).toBe('a\u009bm\n');
  });
});
