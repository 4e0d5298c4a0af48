import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type JsonSchema, taskJsonSchema } from '../../domain/task/words/json-schema.ts';
import { parseTask } from '../../tasks/parse-task.ts';
import { blocksOf, codeOf, readDoc, rowsOf } from './tables.ts';

interface Key {
  key: string;
  required: boolean;
  schema: JsonSchema & { default?: unknown };
}

/** Every key that a person may write, at whatever depth; those of a mapping with free names are the mapping's own. */
function keysOf(schema: JsonSchema, at = ''): Key[] {
  if (schema.oneOf) return schema.oneOf.flatMap((one) => keysOf(one, at));
  if (schema.items) return keysOf(schema.items, `${at}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const key = at === '' ? name : `${at}.${name}`;
    const own = { key, required: schema.required?.includes(name) === true, schema: inner };
    const deeper = keysOf(inner, key);
    return (inner.properties ?? inner.oneOf) ? deeper : [own, ...deeper];
  });
}

const keys = keysOf(taskJsonSchema());
const doc = await readDoc('docs/guides/tasks.md');
const rows = rowsOf(doc).map(([key, , value]) => ({ key: codeOf(key), value }));

const isStated = ({ required, schema }: Key, cell: string | undefined): boolean => {
  const value = codeOf(cell);
  if (schema.default !== undefined)
    return value !== undefined && JSON.stringify(parse(value)) === JSON.stringify(schema.default);
  return required ? cell === 'required' : value === undefined && cell !== 'required' && cell !== '';
};

describe('docs/guides/tasks.md', () => {
  test('has more keys than a handful', () => expect(keys.length).toBeGreaterThan(60));

  test.each(keys)('states $key with its default', (key) => {
    const stated = rows.filter((row) => row.key === key.key);
    expect(
      stated.map((row) => row.value),
      `${key.key}, default ${JSON.stringify(key.schema.default)}, required ${key.required}`,
    ).toSatisfy((cells: (string | undefined)[]) => cells.some((cell) => isStated(key, cell)));
  });

  test('states no key that a task does not have', () => {
    const known = new Set(keys.map(({ key }) => key));
    const wrong = rows.filter(({ key }) => key !== undefined && /^[a-z]/.test(key) && !known.has(key));
    expect(wrong).toEqual([]);
  });
});

describe.each(['README.md', 'docs/guides/tasks.md'])('the tasks in %s', (path) => {
  test('parse', async () => {
    const whole = blocksOf(await readDoc(path), 'yaml').filter((block) => /^name:/m.test(block));
    expect(whole.length).toBeGreaterThan(0);
    for (const block of whole) expect(parseTask(block).task.name).toMatch(/^[a-z]/);
  });
});
