import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { taskJsonSchema } from '../../../domain/task/explain/json-schema.ts';
import { taskJsonSchemaText } from '../../../tasks/yaml/json-schema.ts';

it('the committed schema is that of the code (npm run reference writes it)', async () => {
  await expect(taskJsonSchemaText()).toMatchFileSnapshot('../../../tasks/task.schema.json');
});

it('the schema requires only the keys without a default', async () => {
  expect(taskJsonSchema().required).toEqual(['name', 'description', 'mutable', 'run', 'metric', 'evaluator']);
  expect(taskJsonSchema().additionalProperties).toBe(false);
  const committed: unknown = JSON.parse(await readFile('tasks/task.schema.json', 'utf8'));
  expect(committed).toMatchObject({ title: 'Perpetua task', type: 'object' });
});
