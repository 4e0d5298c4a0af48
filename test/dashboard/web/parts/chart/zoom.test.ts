import { expect, test } from 'vitest';
import { zoomOf, zoomText } from '../../../../../dashboard/web/parts/chart/zoom.ts';

test('a zoom is found again from the address', () => {
  const zoom = { x: [120, 480.5] as [number, number], y: [3.125, 3.5] as [number, number] };
  expect(zoomOf(zoomText(zoom))).toEqual(zoom);
  expect(zoomOf('120,480')).toEqual({ x: [120, 480], y: null });
});

test.each([null, '', 'x', '5', '5,5', '9,1', '1,2,3', '1,2,4,3', '1,2,3,4,5', 'NaN,1', '0,Infinity'])(
  '%j is no zoom',
  (text) => {
    expect(zoomOf(text)).toBeNull();
  },
);
