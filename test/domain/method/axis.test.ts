import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { ABORTS, abortOf } from '../../../domain/abort/table.ts';
import { AXES } from '../../../domain/search/axes.ts';
import { choiceSchema, type Method, methodOf, choiceName } from '../../../domain/method/axis.ts';
import { proposerOf } from '../../../domain/search/proposer/table.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';

const TABLE = {
  plain: { settings: z.strictObject({}) },
  tuned: { settings: z.strictObject({ gamma: z.number().min(0).max(1).default(0.25) }) },
};

describe('a choice on an axis', () => {
  const schema = choiceSchema(TABLE, 'auto');

  it.each(['plain', 'tuned', 'auto', { name: 'tuned' }, { name: 'tuned', gamma: 0.5 }])('may be %j', (choice) => {
    expect(choiceName(schema.parse(choice))).toBe(choiceName(choice));
  });

  it.each(['other', { name: 'other' }, { name: 'plain', gamma: 0.5 }, { name: 'tuned', gamma: 2 }, 3, null])(
    'is refused as %j',
    (choice) => {
      expect(schema.safeParse(choice).success).toBe(false);
    },
  );

  it('is resolved with its settings, defaults filled in', () => {
    expect(methodOf('axis', TABLE, 'tuned')).toEqual({ name: 'tuned', method: TABLE.tuned, settings: { gamma: 0.25 } });
    expect(methodOf('axis', TABLE, { name: 'tuned', gamma: 0.5 }).settings).toEqual({ gamma: 0.5 });
    expect([choiceName('plain'), choiceName({ name: 'plain' }), choiceName({}), choiceName(null)]).toEqual([
      'plain',
      'plain',
      undefined,
      undefined,
    ]);
  });
});

test.each(Object.entries(AXES))('every method of search.%s can be chosen by its name alone', (_, table) => {
  for (const [name, { settings }] of Object.entries<Method>(table))
    expect(settings.safeParse({}).success, name).toBe(true);
});

describe('a stored value from the future', () => {
  test.each(Object.entries(AXES))('of search.%s never stands for another method', (key, table) => {
    const axis = `search.${key}`;
    for (const stored of [
      'from-the-future',
      { name: 'from-the-future', size: 3 },
      'toString',
      '',
      null,
      undefined,
      7,
    ]) {
      expect(() => methodOf(axis, table, stored)).toThrow(UnknownMethod);
      expect(() => methodOf(axis, table, stored)).toThrow(`${axis}: this version does not know `);
    }
  });

  test('is named in an error with the known values, which makes an activity fail retryably', () => {
    const thrown = (() => {
      try {
        return abortOf('clairvoyant');
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject({ name: 'UnknownMethod', axis: 'search.abort', value: 'clairvoyant' });
    expect(String(thrown)).toContain(
      `this version does not know clairvoyant; it knows ${Object.keys(ABORTS).join(', ')}`,
    );
  });

  test('of a setting is not ignored either', () => {
    expect(() => proposerOf({ name: 'random', temperature: 2 })).toThrow(UnknownMethod);
  });
});
