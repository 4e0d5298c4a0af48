import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../../domain/task/presets.ts';
import type { TestStack } from '../../support/stack.ts';
import { expectCountedOnce, readSearchTrials, writeKnobTask } from '../search/support.ts';
import { run } from '../../cli/support/cli.ts';

let stack: TestStack;

export function presetsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('start --preset runs the preset with --set on top; the ledger shows arms, parents and the tree', async () => {
    const task = await writeKnobTask(stack, 'mixed');
    const arms = '[{ proposer: random, parent: puct, trials: 1 }, { proposer: tpe, trials: 1 }]';
    const options = ['--preset', 'mix', '--set', `search.proposer.arms=${arms}`, '--set', 'search.window=1'];
    const env = {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: stack.databaseUrl,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      PERPETUA_HOME: stack.home,
    };
    const started = await run(['start', task, ...options, '--budget-trials', '8', '--seed', 'search', '--json'], {
      env,
      openingTimeoutMs: 100_000,
    });
    expect(started).toMatchObject({ code: 0, stderr: expect.not.stringContaining('published with') as string });
    await stack.client.workflow.getHandle('mixed').result();
    const trials = await readSearchTrials(stack, 'mixed');
    const keys = ['random from puct', 'tpe'];
    expect(trials.map(({ arm, proposer }) => [arm, proposer])).toEqual(
      trials.map((_, i) => [keys[i % 2], ['random', 'tpe'][i % 2]]),
    );
    // The first choice is before any score of the search, or after that of the original.
    const reasons = trials.map(({ parentReason }) => parentReason ?? '');
    expect(reasons.map((reason, i) => /^(puct |the original)/.test(reason) === (i % 2 === 0))).toEqual(
      reasons.map(() => true),
    );
    expect(reasons.filter((reason) => reason.startsWith('puct ')).length).toBeGreaterThan(1);
    const tree = await expectCountedOnce(stack, 'mixed');
    expect(tree.length).toBe(new Set(trials.map(({ candidate }) => candidate)).size + 1);
    const [research] = await stack.query<{ overrides: object }>(`select overrides from researches where id = 'mixed'`);
    expect(research?.overrides).toMatchObject({ search: { parent: PRESETS['mix']?.overrides.search?.['parent'] } });
  });
}
