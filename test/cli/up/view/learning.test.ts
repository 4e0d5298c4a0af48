import { describe, expect, it } from 'vitest';
import { renderFrame } from '../../../../cli/up/view/frame.ts';
import { nothingTold, plainLines } from '../../../../cli/up/view/plain.ts';
import type { Snapshot } from '../../../../cli/up/view/snapshot.ts';
import type { LearningRow } from '../../../../domain/view/policy/learning-curve.ts';
import type { LearningView } from '../../../../domain/view/policy/learning.ts';
import { widthOf } from '../../../../cli/render/text/text.ts';
import { TASK } from '../../support/lineage.ts';
import { ended, options, snapshot } from '../../support/snapshot.ts';

const LEARNING: LearningView = {
  ...{ version: 3, checkpoint: 'a'.repeat(64), pinned: false, halted: null, update: null, rewards: [] },
  batch: { k: 4, joined: 0, ended: 0, of: 16 },
};
const REWARDS = [-0.5, -0.25, 0.25, 0.5];
const row = (update: number): LearningRow => ({
  ...{ update, reward: REWARDS[update - 1] ?? 0, legal: 0.75, entropy: 1 },
  gates: update === 3 ? ['entropy (adjust)'] : [],
});

/** A policy that has had so many updates, of 29 that the budget has proposals for. */
function learning(
  updates: number,
  more: { phase?: string; reason?: string; learning?: Partial<LearningView> } = {},
): Snapshot {
  const base = snapshot([ended(5)]);
  const references = [{ name: 'best constant', value: 0.6 }];
  return {
    ...base,
    research: { ...base.research, task: { ...TASK, references } },
    status: {
      ...base.status,
      phase: more.phase ?? 'running',
      reason: more.reason ?? null,
      budget: { ...base.status.budget, trials: { spent: 0, limit: null }, proposals: { spent: 16, limit: 464 } },
      learning: { ...LEARNING, ...more.learning },
    },
    learning: Array.from({ length: updates }, (_, index) => row(index + 1)),
  } as Snapshot;
}

describe('the live view of a policy that learns', () => {
  it('draws the curve of its rewards with room for the updates to come, and the latest numbers', () => {
    const lines = renderFrame(learning(3), { ...options, rows: 60 });
    const at = lines.findIndex((line) => line.includes('best constant'));
    expect(lines[at]).toBe(` 0.60 │${'·'.repeat(29)} best constant`);
    expect(lines.slice(at).filter((line) => line.includes('●'))).toHaveLength(3);
    expect(lines).toContain('update 3 · reward 0.25 · legal 75 % · entropy 1.000 · gates entropy (adjust)');
    expect(lines.join('\n')).not.toContain('learnt:');
  });

  it('says what was learnt once it has ended with its last update, and not before', () => {
    const due = { k: 5, dueAt: '2026-11-01T11:00:00Z', begunAt: null };
    const atWork = { ...due, begunAt: '2026-11-01T11:00:01Z' };
    const text = (one: Snapshot) => renderFrame(one, { ...options, rows: 60 }).join('\n');
    expect(text(learning(4, { phase: 'stopped', learning: { update: atWork } }))).not.toContain('learnt:');
    expect(text(learning(4, { phase: 'stopped' }))).toContain(
      'learnt: mean reward from -0.38 (updates 1 to 2) to 0.38 (updates 3 to 4); best constant 0.60; gates',
    );
    expect(
      text(learning(4, { phase: 'stopped', learning: { update: due } })),
      'left to its next start by a stop',
    ).toContain('learnt:');
  });

  it.each([
    [40, 10],
    [80, 24],
    [100, 36],
    [200, 60],
  ])('never leaves a terminal of %i columns and %i rows', (columns, rows) => {
    for (const phase of ['running', 'stopped']) {
      const lines = renderFrame(learning(4, { phase }), { ...options, columns, rows });
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('draws no curve of a research that does not learn', () => {
    const lines = renderFrame(snapshot([ended(5)]), { ...options, rows: 60 });
    expect(lines.join('\n')).not.toMatch(/update|│/);
  });
});

describe('plain lines of a policy that learns', () => {
  it('are one an update, none for a sample or for the wait for a step, and at the end what was learnt', () => {
    let told = nothingTold();
    const sample = [ended(7), ended(8, { kind: 'baseline', verdict: 'none' })];
    const under = { k: 3, dueAt: '2026-11-01T11:00:00Z', begunAt: '2026-11-01T11:00:01Z' };
    const looks = [
      learning(1),
      { ...learning(2), ended: sample, rulings: [] } as unknown as Snapshot,
      learning(2, { phase: 'waiting', reason: 'update 3 is at work', learning: { update: under } }),
      learning(4, { phase: 'stopped' }),
      learning(4, { phase: 'stopped' }),
    ].map((look) => {
      const news = plainLines(look, { told, asked: null, now: options.now });
      told = news.told;
      return news.lines;
    });
    expect(looks[0]).toContain('update 1 · reward -0.50 · legal 75 % · entropy 1.000');
    expect(looks[1]?.map((line) => line.slice(0, 8))).toEqual(['#8     b', 'update 2']);
    expect(looks[2]).toEqual([]);
    expect(looks[3]?.slice(0, 2).map((line) => line.slice(0, 8))).toEqual(['update 3', 'update 4']);
    expect(looks[3]?.at(-1)).toContain('learnt: mean reward from -0.38');
    expect(looks[4]).toEqual([]);
  });
});
