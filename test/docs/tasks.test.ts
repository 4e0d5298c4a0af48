import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../domain/task/words/json-schema.ts';
import { KEY_CATALOG } from '../../domain/task/words/key-catalog.ts';
import { parseTask } from '../../tasks/parse-task.ts';
import { taskKeys } from './reference/task-keys.ts';
import { blocksOf, readDoc } from './tables.ts';

describe('the words of keys', () => {
  const keys = new Set(taskKeys().map(({ key }) => key));

  test('there are for every key of a task, and for no other', () => {
    expect(keys.size).toBeGreaterThan(60);
    expect(Object.keys(KEY_CATALOG).sort()).toEqual([...keys].sort());
  });

  test('are shown by editors', async () => {
    const schema = JSON.parse(await readDoc('tasks/task.schema.json')) as { properties: Record<string, JsonSchema> };
    expect(schema.properties.mutable?.description).toBe(KEY_CATALOG.mutable?.meaning);
    expect(schema.properties.knobs?.items?.oneOf?.[0]?.properties?.file?.description).toBe(
      KEY_CATALOG['knobs[].file']?.meaning,
    );
  });
});

describe.each(['README.md', 'docs/guides/tasks.md', 'docs/guides/tasks/scoring.md'])('the tasks in %s', (path) => {
  test('parse', async () => {
    const whole = blocksOf(await readDoc(path), 'yaml').filter((block) => /^name:/m.test(block));
    expect(whole.length).toBeGreaterThan(0);
    for (const block of whole) expect(parseTask(block).task.name).toMatch(/^[a-z]/);
  });
});
