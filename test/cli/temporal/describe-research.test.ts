import { expect, test } from 'vitest';
import { describeResearch } from '../../../cli/temporal/describe-research.ts';
import { TASK } from '../support/lineage.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);

test('a research is told in what the server takes of it, however long and in whatever script its task speaks', () => {
  const task = { ...TASK, description: 'Обучение '.repeat(3000), mutable: Array<string>(2000).fill('src/**/模型.py') };
  const { staticSummary, staticDetails } = describeResearch(task);
  expect(staticSummary.startsWith(`${TASK.name}: Обучение`)).toBe(true);
  expect(staticSummary).toMatch(/…$/);
  expect(bytesOf(staticSummary)).toBeLessThanOrEqual(190);
  expect(bytesOf(staticDetails)).toBeLessThan(10_000);
  expect(staticDetails).not.toContain('\ufffd');
});

test('a short task is told whole', () => {
  const { staticSummary, staticDetails } = describeResearch({ ...TASK, description: 'Fit a line.', mutable: ['a.py'] });
  expect(staticSummary).toBe(`${TASK.name}: Fit a line.`);
  expect(staticDetails).toContain('proposals edit: `a.py`');
});
