import { describe, expect, it } from 'vitest';
import { fitOverrides, overlaid } from '../../../domain/task/overrides.ts';
import { PRESETS } from '../../../domain/task/presets.ts';
import { updatePlanOf } from '../../../domain/search/update/table.ts';
import { Search } from '../../../domain/search/schema.ts';
import { Task } from '../../../domain/task/task.ts';
import { readDoc } from '../../docs/tables.ts';
import { TASK } from '../../cli/support/lineage.ts';

const POLICY_TASK = Task.parse({
  ...TASK,
  knobs: [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 1] }],
  search: { proposer: 'policy' },
});

const planOfPreset = (name: string) => updatePlanOf(Search.parse({ ...PRESETS[name]?.overrides.search }).update);

describe('a preset', () => {
  it.each(Object.entries(PRESETS))('%s has values that a task with knobs and a policy accepts', (_, { overrides }) => {
    expect(fitOverrides(POLICY_TASK, overrides).unfit).toEqual([]);
  });

  it.each(Object.entries(PRESETS))('%s names its source, in lines that a terminal shows', (_, preset) => {
    const { source, published, deviations, notBuilt } = preset;
    for (const text of [source, published ?? 'none', ...deviations, ...notBuilt]) {
      expect(text).not.toBe('');
      expect(text.length).toBeLessThan(120);
    }
  });

  it.each(Object.keys(PRESETS).filter((name) => PRESETS[name]?.published !== null))(
    '%s, which needs a model, is in the guide',
    async (name) => {
      const guides = await Promise.all(
        ['docs/guides/learning/settings.md', 'docs/guides/models/presets.md'].map((path) => readDoc(path)),
      );
      expect(guides.filter((text) => text.includes(`| ${name} `))).toHaveLength(1);
    },
  );

  it('has the numbers that were published', () => {
    expect(planOfPreset('grpo')).toMatchObject({
      batch: 128,
      group: 8,
      adapter: { kind: 'full' },
      optimizer: { lr: 1e-6 },
      algorithm: { klCoefficient: 1e-5, entropyCoefficient: 0, clipLow: 0.2, clipHigh: 0.28, dualClip: 3, isCap: 2 },
    });
    expect(planOfPreset('sdpo')).toMatchObject({
      batch: 16,
      group: 1,
      optimizer: { lr: 1e-6 },
      algorithm: { distillation: 'top-k', topK: 20, teacher: 'ema', emaRate: 0.01, ratioCap: 2 },
    });
    expect(planOfPreset('ppo')?.algorithm).toMatchObject({ lambda: 0.95, valueCoefficient: 0.5 });
  });

  it('without learning runs the same loop at a learning rate of 0, or none', () => {
    expect(planOfPreset('icl-through-trainer')).toMatchObject({ batch: 128, gates: [], optimizer: { lr: 0 } });
    expect(planOfPreset('sdpo-ckpt-single')).toBeNull();
  });
});

describe('overrides on top of others', () => {
  it('win, and keep the values that they do not name', () => {
    const base = {
      search: { parent: 'best', update: { name: 'grpo', lr: 1e-6, batch: 128 } },
      abort: { burnIn: 0.1 },
    };
    expect(overlaid(base, { search: { update: { lr: 0.001 } }, keep: { policy: 'strict' } })).toEqual({
      search: { parent: 'best', update: { name: 'grpo', lr: 0.001, batch: 128 } },
      abort: { burnIn: 0.1 },
      keep: { policy: 'strict' },
    });
  });

  it('that name a method replace the whole method', () => {
    const base = { search: { update: { name: 'grpo', lr: 1e-6 } } };
    expect(overlaid(base, { search: { update: { name: 'ppo' } } })).toEqual({ search: { update: { name: 'ppo' } } });
    expect(overlaid(base, {})).toEqual(base);
  });
});
