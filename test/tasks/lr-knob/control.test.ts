import { expect, test } from 'vitest';
import { updatePlanIn } from '../../../domain/search/update/table.ts';
import { fitOverrides } from '../../../domain/task/overrides.ts';
import { TASK } from '../../../bench/tasks/lr-knob/calibration.ts';
import { loadTask } from '../../../tasks/load.ts';

test('the task takes a learning rate of 0 as a control, and leaves out its gate that adjusts the rate', async () => {
  const { task } = await loadTask(TASK);
  const control = fitOverrides(task, { search: { update: { lr: 0 } } });
  expect(control.unfit).toEqual([]);
  const plan = updatePlanIn(control.task.search);
  expect(plan?.optimizer.lr).toBe(0);
  expect(plan?.gatesLeftOut).toMatchObject([{ metric: 'gradNorm', adjust: { key: 'lr' } }]);
  expect(plan?.gates).toHaveLength(3);
});
