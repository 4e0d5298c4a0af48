import { expect, it } from 'vitest';
import { listParams } from '../../../../dashboard/web/pages/trial/back.ts';

it('the way back keeps what belongs to the list, and drops what belongs to the trial', () => {
  const params = new URLSearchParams('status=crashed&sort=value&pick=4&against=best&diff=split&curve.zoom=1,2');
  expect(listParams(params)).toEqual({ status: 'crashed', sort: 'value', pick: '4' });
});
