import { expect, test } from 'vitest';
import { gpusVisible, ownGpuHost, parseOwnGpus } from '../../../domain/fleet/own-gpus.ts';

test.each([
  ['auto', 'auto'],
  ['none', 'none'],
  ['0, 2', ['0', '2']],
  ['GPU-8f1c2d3e-0000', ['GPU-8f1c2d3e-0000']],
  ['all', null],
  ['0,x', null],
])('PERPETUA_GPUS=%s means %j', (text, meant) => {
  expect(parseOwnGpus(text)).toEqual(meant);
});

test.each([
  [undefined, 'auto'],
  ['', 'none'],
  ['-1', 'none'],
  ['NoDevFiles', 'none'],
  ['3', ['3']],
  ['MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f', ['MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f']],
  ['1,-1,2', ['1']],
])('a worker with CUDA_VISIBLE_DEVICES=%s lends %j, no more than it was given', (visible, expected) => {
  expect(gpusVisible(visible)).toEqual(expected);
});

test('the GPUs of a machine are a host named after it, with its full name if another home has the short one', () => {
  const own = { home: 'box one-0a1b2c3d', scratch: '/h/gpus', path: '/usr/bin', env: {}, gpus: 'auto' as const };
  expect(ownGpuHost(own, { taken: false })).toMatchObject({ name: 'gpus-of-box-one', pool: 'gpu', own: own.home });
  expect(ownGpuHost(own, { taken: true }).name).toBe('gpus-of-box-one-0a1b2c3d');
  const long = { ...own, home: `${'x'.repeat(80)}-0a1b2c3d` };
  expect(ownGpuHost(long, { taken: false }).name).toHaveLength(63);
  expect(ownGpuHost(long, { taken: true }).name).toMatch(/^gpus-of-x+-0a1b2c3d$/);
});
