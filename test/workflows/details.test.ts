import { expect, test } from 'vitest';
import { statusRows } from '../../view/rows.ts';
import { knownOf, renderDetails } from '../../workflows/research/details.ts';
import type { State } from '../../workflows/research/state.ts';
import { VIEW } from '../view/support/view.ts';

const best = { candidateId: 'toy/4', mean: 1.5, sd: 0.2, n: 12, trusted: false };
const baseline = { candidateId: 'b', mean: 2.2, sd: 0.2, n: 3, trusted: true };
const verdict = { n: 4, verdict: 'keep' as const, value: 1.5, trusted: false, hypothesis: 'LR 0.1 | \n0.05\x1b[31m' };

const state = (board: State['board']): State =>
  ({
    taskName: 'toy',
    board,
    ended: 5,
    inflight: new Map([[6, {}]]),
    fixedWindow: 2,
    window: { slots: 4 },
    input: {},
    activeSeconds: 3600,
    activeSince: null,
    alerts: ['signal puase ignored'],
  }) as unknown as State;

test("Temporal's details show the status rows that the workflow knows, and foreign text stays in its cell", () => {
  const measured = state({
    best,
    baseline,
    spend: { tokens: 12_345, usd: 0.42 },
    budget: VIEW.budget,
    verdicts: [verdict],
  });
  const known = knownOf(measured, { phase: 'waiting', reason: 'a|b' });
  expect(renderDetails(known, measured).split('\n')).toEqual([
    '### toy',
    '|  |  |',
    '|---|---|',
    '| phase | waiting: a\\|b |',
    '| best | 1.50 untrusted toy/4 |',
    '| baseline | 2.20 sd of one run 0.2000 (3 runs) |',
    '| trials | 5 ended, 1 under way |',
    '| spend | 12.3k tokens · \\$0.42 |',
    '| budget | 5 of 60 trials used · 7 of 290 proposals used · 1 min 1 s of 1 h on slots used · ' +
      '12.3k of 50.0k tokens used · \\$0.42 of \\$5.00 used · then the research waits |',
    '| window | 2 trials at once |',
    '| slots | 4 |',
    '| time | 1 h active |',
    '',
    '| trial | verdict | value | hypothesis |',
    '|---|---|---|---|',
    '| \\#4 | keep | 1.500 untrusted | LR 0.1 \\| 0.05 |',
    '',
    '- signal puase ignored',
  ]);
});

test('the status rows of the workflow have the same words as those of every other surface', () => {
  const measured = state({ best, baseline, spend: { tokens: 12_345, usd: 0.42 }, budget: VIEW.budget, verdicts: [] });
  const rows = new Map(statusRows({ ...VIEW, unit: null }));
  for (const [label, text] of statusRows(knownOf(measured, { phase: 'running', reason: null })))
    if (label === 'spend') expect(rows.get(label)).toMatch(new RegExp(`${text.replace('$', '\\$')}$`));
    else expect(rows.get(label)?.startsWith(text)).toBe(true);
});

test('before anything is measured the details have no numbers', () => {
  const young = state(null);
  const text = renderDetails(knownOf(young, { phase: 'starting', reason: null }), { board: null, alerts: [] });
  expect(text).toContain('| best | not measured yet |\n| baseline | not measured yet |');
  const begun = state({
    best: { ...best, mean: null },
    baseline: { ...baseline, mean: null },
    spend: { tokens: 0, usd: 0 },
    budget: VIEW.budget,
    verdicts: [],
  });
  const lines = renderDetails(knownOf(begun, { phase: 'starting', reason: null }), { board: null, alerts: [] }).split(
    '\n',
  );
  // The first admission brings the limits.
  expect(lines.filter((line) => !line.startsWith('| budget |')).join('\n')).toBe(text);
});
