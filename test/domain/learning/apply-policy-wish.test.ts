import { expect, test } from 'vitest';
import { applyPolicyWish, type PolicyWish } from '../../../domain/learning/apply-policy-wish.ts';

const at = (more: object = {}) => ({ inForce: 3, pinned: false, halted: null, ...more });
const pinned = at({ pinned: true });
const halted = at({ halted: 'entropy fell' });

test.each<[string, ReturnType<typeof at>, PolicyWish, object]>([
  ['a pin', at(), { kind: 'pin', version: 1 }, { change: { inForce: 1, pinned: true }, how: 'pinned' }],
  [
    'a pin of another version',
    pinned,
    { kind: 'pin', version: 1 },
    { change: { inForce: 1, pinned: true }, how: 'pinned' },
  ],
  ['the same pin', pinned, { kind: 'pin', version: 3 }, { change: null }],
  ['an unpin', pinned, { kind: 'unpin' }, { change: { pinned: false }, how: 'the pin is removed' }],
  ['an unpin without a pin', at(), { kind: 'unpin' }, { change: null }],
  ['a rollback', at(), { kind: 'rollback', version: 0 }, { change: { inForce: 0, halted: null }, how: 'rolled back' }],
  ['a rollback to the current version', at(), { kind: 'rollback', version: 3 }, { change: null }],
  [
    'a rollback that ends a halt',
    halted,
    { kind: 'rollback', version: 3 },
    { change: { inForce: 3, halted: null }, how: 'learning goes on' },
  ],
])('%s', (_, standing, wish, steering) => {
  expect(applyPolicyWish(standing, wish)).toEqual(steering);
});

test('a pinned policy is not rolled back', () => {
  expect(applyPolicyWish(pinned, { kind: 'rollback', version: 1 })).toEqual({
    refused: expect.stringContaining('it is pinned to version 3') as string,
  });
});

test('a pin keeps a halt, which holds again after the unpin', () => {
  expect(applyPolicyWish(halted, { kind: 'pin', version: 3 })).toEqual({
    change: { inForce: 3, pinned: true },
    how: 'pinned',
  });
});
