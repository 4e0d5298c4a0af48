import { type Problem, describeValue } from '../../issue/problem.ts';
import type { Knob } from '../../knob/knob.ts';
import type { Task } from '../task.ts';

/** Problems of knobs' settings that do not depend on the content of their files. */
export function knobSettings({ knobs }: Task): Problem[] {
  const seen = new Set<string>();
  return knobs.flatMap((knob, i): Problem[] => {
    const key = JSON.stringify([knob.file, knob.name]);
    const again = seen.has(key);
    seen.add(key);
    if (again)
      return [
        {
          path: ['knobs', i, 'name'],
          expected: 'each knob once',
          got: `${describeValue(knob.name)} in ${knob.file} again`,
          todo: 'remove the second',
        },
      ];
    return knob.type === 'choice' ? choice(knob, i) : range(knob, i);
  });
}

type Ranged = Extract<Knob, { range: unknown }>;

function range({ type, range: [low, high], scale }: Ranged, i: number): Problem[] {
  const path = ['knobs', i, 'range'];
  const got = `[${low}, ${high}]`;
  if (low > high) return [{ path, expected: 'the smaller number first', got, todo: 'swap the two numbers' }];
  if (low === high) return [{ path, expected: 'two different numbers', got, todo: 'widen the range' }];
  if (!Number.isFinite(high - low))
    return [{ path, expected: 'ends whose difference is finite', got, todo: 'narrow the range' }];
  if (scale === 'log' && low <= 0)
    return [{ path, expected: 'both ends above 0, since scale is log', got, todo: 'raise the lower end' }];
  if (type === 'int' && !(Number.isInteger(low) && Number.isInteger(high)))
    return [{ path, expected: 'whole numbers, since type is int', got, todo: 'round them or set type: float' }];
  return [];
}

function choice({ values, form }: Extract<Knob, { type: 'choice' }>, i: number): Problem[] {
  if (form?.nullWord === '') {
    const path = ['knobs', i, 'values', values.indexOf(null)];
    const todo = 'write a value behind the dash, null for an empty one, or remove it';
    return [{ path, expected: 'a value', got: 'nothing', todo }];
  }
  const large = values.findIndex((value) => isInexact(value) && form?.float !== true);
  if (large >= 0)
    return [
      {
        path: ['knobs', i, 'values', large],
        expected: `a whole number of at most ${Number.MAX_SAFE_INTEGER}`,
        got: describeValue(values[large]),
        todo: 'write it with a point, or as a text in quotes',
      },
    ];
  const at = values.findIndex((value, j) => values.indexOf(value) < j);
  if (at < 0) return [];
  const path = ['knobs', i, 'values', at];
  return [{ path, expected: 'each value once', got: `${describeValue(values[at])} again`, todo: 'remove the second' }];
}

/** True for a whole number that was rounded when it was read. */
const isInexact = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
