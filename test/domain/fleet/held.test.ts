import { expect, test } from 'vitest';
import { withoutHeld } from '../../../domain/fleet/slots.ts';

const slot = (key: string, gpu: string | null = null) => ({ key, index: 0, gpu });
const keysBeside = (slots: ReturnType<typeof slot>[], ...held: { id: string; pool: string; gpu: string | null }[]) =>
  withoutHeld({ pool: 'new', slots, held }).map(({ key }) => key);

test('all slots are lent where nothing of an earlier shape is held', () => {
  expect(keysBeside([slot('0'), slot('1')])).toEqual(['0', '1']);
});

test('a GPU is not lent while a slot of another pool, share or host has it', () => {
  const gpus = [slot('GPU-a', 'GPU-a'), slot('GPU-b', 'GPU-b')];
  expect(keysBeside(gpus, { id: 'h/old/GPU-a', pool: 'old', gpu: 'GPU-a' })).toEqual(['GPU-b']);
  expect(keysBeside(gpus, { id: 'h/new/GPU-b.1', pool: 'new', gpu: 'GPU-b' })).toEqual(['GPU-a']);
  expect(keysBeside(gpus, { id: 'h/old/host', pool: 'old', gpu: 'GPU-a,GPU-b' })).toEqual([]);
});

test('cores are not lent beside those of another pool, but beside those of the same', () => {
  expect(keysBeside([slot('0')], { id: 'h/old/3', pool: 'old', gpu: null })).toEqual([]);
  expect(keysBeside([slot('0')], { id: 'h/new/3', pool: 'new', gpu: null })).toEqual(['0']);
  expect(keysBeside([slot('4c0')], { id: 'h/new/3', pool: 'new', gpu: null })).toEqual([]);
});

test('a whole host is lent only where nothing of it is held', () => {
  expect(keysBeside([slot('host')], { id: 'h/new/0', pool: 'new', gpu: null })).toEqual([]);
});
