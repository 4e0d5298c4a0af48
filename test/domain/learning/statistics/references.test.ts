import { describe, expect, test } from 'vitest';
import { openGate } from '../../../../domain/gate/gate.ts';
import { placeReferences } from '../../../../domain/learning/statistics/references.ts';
import { factorOf, rewardScaleOf, type RewardScale } from '../../../../domain/learning/statistics/reward-scale.ts';
import { CONFIG } from '../../../cli/support/lineage.ts';

const SCALE: RewardScale = { scale: 'absolute', sign: 1, baseline: 0.1, failed: -1 };
const REFERENCE = { name: 'best constant', value: 0.6, baseline: 0.02 };
const placed = (scale: RewardScale | null, reference: Partial<typeof REFERENCE> = REFERENCE) =>
  placeReferences([{ ...REFERENCE, baseline: undefined, ...reference }], scale)[0];

describe('a reference', () => {
  test('is shifted by as much as the baseline of the research shifts the rewards', () => {
    const [worth, assumed] = [0.62, REFERENCE.baseline];
    for (const sign of [1, -1] as const)
      for (const baseline of [-0.3, 0.02, 0.1]) {
        const statedReward = sign * (worth - assumed);
        const [found] = placeReferences([{ name: 'a', value: statedReward, baseline: assumed }], {
          ...SCALE,
          sign,
          baseline,
        });
        expect(found?.value).toBeCloseTo(sign * (worth - baseline), 12);
        expect(found?.stays).toBeNull();
      }
  });

  test('stays without a baseline of its own, and if no absolute gain over the baseline is rewarded', () => {
    const { baseline, ...bare } = REFERENCE;
    expect(baseline).toBe(0.02);
    expect(placeReferences([bare], SCALE)).toEqual([
      { name: 'best constant', value: 0.6, shift: 0, stays: 'it names no baseline' },
    ]);
    expect(placed({ ...SCALE, scale: 'relative' })).toMatchObject({ value: 0.6, stays: expect.any(String) as string });
    expect(placed({ ...SCALE, scale: null })).toMatchObject({ value: 0.6, stays: expect.any(String) as string });
    expect(placed(null)).toMatchObject({ value: 0.6, stays: expect.any(String) as string });
    expect(placed({ ...SCALE, baseline: null })?.stays).toBe('the baseline is not measured yet');
  });
});

describe('the scale of rewards', () => {
  const { state: gate } = openGate(CONFIG, 'unmodified');
  const scaleOf = (reward: unknown, parent = 'original') => rewardScaleOf({ search: { reward, parent }, gate });

  test('is a gain over the baseline for `improvement`, and for `weighted-sum` if every parent is the original', () => {
    expect(scaleOf({ name: 'improvement', scale: 'absolute' }, 'lead')?.scale).toBe('absolute');
    expect(scaleOf({ name: 'weighted-sum', scale: 'absolute', failed: -2 })).toEqual({
      scale: 'absolute',
      sign: -1,
      baseline: null,
      failed: -2,
    });
    expect(scaleOf({ name: 'weighted-sum', scale: 'absolute' }, 'lead')?.scale).toBeNull();
    expect(scaleOf('rank')?.scale).toBeNull();
  });

  test('is unknown without a reward, and for a reward of a newer version', () => {
    expect(scaleOf('none')).toBeNull();
    expect(scaleOf('of-a-newer-version')).toBeNull();
  });

  test('gives the factor from values to rewards, or none', () => {
    expect(factorOf(SCALE)).toBe(1);
    expect(factorOf({ ...SCALE, scale: 'relative', sign: -1, baseline: -4 })).toBe(-0.25);
    expect(factorOf({ ...SCALE, scale: 'relative', baseline: 0 })).toBeNull();
    expect(factorOf({ ...SCALE, scale: null })).toBeNull();
  });
});
