import { expect, it } from 'vitest';
import { plural } from '../../../domain/text/plural.ts';

it('has one noun for one and another for none and many', () => {
  expect([0, 1, 2].map((n) => plural(n, 'run'))).toEqual(['0 runs', '1 run', '2 runs']);
});
