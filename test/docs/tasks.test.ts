import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../domain/task/explain/json-schema.ts';
import { Task } from '../../domain/task/task.ts';
import { parseTask } from '../../tasks/parse-task.ts';
import { taskKeys } from './reference/task-keys.ts';
import { blocksOf, readDoc } from './tables.ts';

test('every key of a task has a description, which editors show', async () => {
  const keys = taskKeys();
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter(({ schema }) => !schema.description).map(({ key }) => key)).toEqual([]);
  const schema = JSON.parse(await readDoc('tasks/task.schema.json')) as { properties: Record<string, JsonSchema> };
  expect(schema.properties.mutable?.description).toBe(Task.shape.mutable.description);
  expect(schema.properties.llm?.properties?.model?.description).toBe(
    'name of the model; default: `OPENAI_MODEL`, `ANTHROPIC_MODEL` or `GEMINI_MODEL` of the worker',
  );
});

describe.each(['README.md', 'docs/guides/tasks.md', 'docs/guides/tasks/scoring.md'])('the tasks in %s', (path) => {
  test('parse', async () => {
    const whole = blocksOf(await readDoc(path), 'yaml').filter((block) => /^name:/m.test(block));
    expect(whole.length).toBeGreaterThan(0);
    for (const block of whole) expect(parseTask(block).task.name).toMatch(/^[a-z]/);
  });
});
