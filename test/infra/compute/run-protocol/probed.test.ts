import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROCESS_GROUP, type Confinement } from '../../../../infra/compute/run-protocol/confinement.ts';
import { probed } from '../../../../infra/compute/run-protocol/probed.ts';

const SANDBOX: Confinement = { ...PROCESS_GROUP, sandboxed: true };

describe('what a machine can confine runs by', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is found once where there is a sandbox', async () => {
    const probe = vi.fn(async () => Promise.resolve(SANDBOX));
    const { confinement } = probed(probe);
    expect(await confinement(true)).toBe(SANDBOX);
    vi.advanceTimersByTime(3_600_000);
    expect(await confinement(true)).toBe(SANDBOX);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('is looked for again a minute after there was no sandbox, without a restart', async () => {
    const answers = [PROCESS_GROUP, SANDBOX];
    const { confinement } = probed(async () => Promise.resolve(answers.shift() ?? PROCESS_GROUP));
    expect(await confinement(true)).toBe(PROCESS_GROUP);
    vi.advanceTimersByTime(59_000);
    expect(await confinement(true)).toBe(PROCESS_GROUP);
    vi.advanceTimersByTime(2_000);
    expect(await confinement(true)).toBe(SANDBOX);
  });

  it('is looked for again once it was doubted', async () => {
    const answers = [SANDBOX, PROCESS_GROUP];
    const { confinement, forget } = probed(async () => Promise.resolve(answers.shift() ?? SANDBOX));
    expect(await confinement(true)).toBe(SANDBOX);
    forget();
    expect(await confinement(true)).toBe(PROCESS_GROUP);
  });

  it('is asked again after a look that failed', async () => {
    const probe = vi.fn<(sandbox: boolean) => Promise<Confinement>>().mockRejectedValueOnce(new Error('ENOSPC'));
    probe.mockResolvedValue(SANDBOX);
    const { confinement } = probed(probe);
    await expect(confinement(true)).rejects.toThrow('ENOSPC');
    expect(await confinement(true)).toBe(SANDBOX);
  });
});
