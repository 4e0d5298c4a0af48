import { describe, expect, it } from 'vitest';
import { describeLead } from '../../../view/rows.ts';

const baseline = { value: 1.5, sd: 0.03, n: 10, trusted: true };
const more = { trusted: true, waitsFor: 'the race of #40' };
const lead = { trialId: 'toy/41', candidateId: 'c', value: 1.161, n: 1, estimate: 1.2, ...more };

describe('the lead in words', () => {
  it('is there only where the search stands elsewhere than at the best', () => {
    expect(describeLead({ lead: null, baseline })).toBeNull();
    expect(describeLead({ baseline })).toBeNull();
    expect(describeLead({ lead, baseline, unit: 'bits' })).toBe(
      '1.161 bits  toy/41 · one run, estimated at 1.200, not confirmed; its race waits for the race of #40',
    );
    expect(describeLead({ lead: { ...lead, n: 2, estimate: null, waitsFor: null }, baseline })).toBe(
      '1.161  toy/41 · mean of 2 runs, not confirmed; its race comes next',
    );
  });

  it('says nothing of a race where the research has ended', () => {
    expect(describeLead({ lead, baseline, phase: 'stopped' })).toMatch(/, not confirmed$/);
  });

  it('is marked where the candidate could have written its score itself', () => {
    expect(describeLead({ lead: { ...lead, trusted: false }, baseline, unit: 'bits' })).toMatch(
      /^1\.161 bits untrusted {2}toy\/41 /,
    );
  });
});
