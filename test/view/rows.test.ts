import { describe, expect, it } from 'vitest';
import { statusRows } from '../../view/rows.ts';
import type { StatusPart } from '../../view/status.ts';
import { VIEW } from './support/view.ts';

describe('the rows of a status', () => {
  it('say what it has come to', () => {
    expect(statusRows(VIEW)).toEqual([
      ['best', '1.50 bits untrusted  toy/4 · gain +0.70 = +3.5 sd of one run'],
      ['gain', '+0.60 (95 %: +0.40 to +0.80) corrected for selection'],
      ['baseline', '2.20 bits  sd of one run 0.2000 (3 runs)'],
      ['trials', '5 ended, 1 under way · 4 completed, 1 crashed'],
      ['verdicts', '1 keep, 3 discard, 1 none'],
      ['spend', '1 min 1 s on slots · 12.3k tokens · $0.42'],
      [
        'budget',
        '5 of 60 trials · 7 of 290 proposals · 1 min 1 s of 1 h on slots · 12.3k of 50.0k tokens · $0.42 of $5.00 · then it waits',
      ],
    ]);
  });

  it('are fewer where less is known, and say nothing else', () => {
    const part: StatusPart = {
      best: null,
      baseline: null,
      trials: { ended: 5, running: 1 },
      spend: { tokens: 0, usd: 0 },
    };
    expect(statusRows(part)).toEqual([
      ['best', 'not measured yet'],
      ['baseline', 'not measured yet'],
      ['trials', '5 ended, 1 under way'],
    ]);
    expect(statusRows({})).toEqual([]);
  });
});
