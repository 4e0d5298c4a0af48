import { expect, it } from 'vitest';
import { howMany } from '../../domain/how-many.ts';

it('has one noun for one and another for none and many', () => {
  expect([0, 1, 2].map((n) => howMany(n, 'run'))).toEqual(['0 runs', '1 run', '2 runs']);
});
