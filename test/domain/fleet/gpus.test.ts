import { describe, expect, it } from 'vitest';
import { wasBeside, type FailedRun, type Owner } from '../../../domain/fleet/gpus.ts';

/** A run from the 100th to the 200th second of its host. */
const RUN: FailedRun = { gpu: 'GPU-0', began: 100, ended: 200, contained: false, asUs: true };
const beside = (whose: Owner, bornAt: number, run: Partial<FailedRun> = {}): boolean =>
  wasBeside({ uuid: 'GPU-0', pid: 7, birth: bornAt * 100, whose }, { ...RUN, ...run });

describe('a process that was on the GPU of a run that failed', () => {
  it('was beside it where another run took a GPU that it was not given', () => {
    const contained = { contained: true };
    expect([50, 150, 250].map((born) => beside('astray', born, contained))).toEqual([true, true, false]);
    // Where nothing held the run, what it left may name another one.
    expect([50, 150].map((born) => beside('astray', born))).toEqual([true, false]);
  });

  it('was beside it where an earlier run left it, and is its own where it is younger', () => {
    expect([beside('left', 50), beside('left', 150), beside('left', 50, { began: null })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is no matter where it is that of a run which was given that GPU, a setup, or unseen', () => {
    for (const whose of ['ours', 'setup', 'unseen'] as const) expect(beside(whose, 50)).toBe(false);
  });

  it('may be its own where nothing held it and its user is ours', () => {
    expect([beside('nameless', 150), beside('nameless', 50)]).toEqual([false, true]);
    expect(beside('nameless', 150, { contained: true })).toBe(true);
    expect(beside('stranger', 150)).toBe(true);
  });
});
