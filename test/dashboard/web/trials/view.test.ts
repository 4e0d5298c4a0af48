import { describe, expect, it } from 'vitest';
import {
  countFilters,
  paramsOf,
  pickedOf,
  pickedText,
  pickedWith,
  viewOf,
} from '../../../../dashboard/web/pages/trials/trials-view.ts';

const view = (query: string) => viewOf(new URLSearchParams(query));

describe('the view that the parameters of a URL describe', () => {
  it('is every trial, the newest first, if there are none', () => {
    expect(view('')).toEqual({ sort: 'n', order: 'desc' });
    expect(Object.values(paramsOf(view(''))).every((value) => value === null)).toBe(true);
  });

  it('is restored from its own parameters', () => {
    const full = view('kind=search&status=running&verdict=keep&failure=exit-code&text=a%26b&sort=value&order=asc');
    const given = Object.entries(paramsOf(full)).filter((entry): entry is [string, string] => entry[1] !== null);
    expect(viewOf(new URLSearchParams(given))).toEqual(full);
    expect(countFilters(full)).toBe(5);
  });

  it('leaves out unknown values', () => {
    expect(view('kind=x&status=__proto__&verdict=toString&sort=constructor&order=up&failure=&text=')).toEqual({
      sort: 'n',
      order: 'desc',
    });
  });

  it('cuts a text that is too long for the server', () => {
    expect(view(`text=${'x'.repeat(500)}`).text).toHaveLength(200);
  });
});

describe('trials that are picked for a comparison', () => {
  it('are at most two: a third replaces the first', () => {
    expect([1, 2, 3, 2].reduce<number[]>((picked, n) => pickedWith(picked, n), [])).toEqual([3]);
    expect([1, 2, 3].reduce<number[]>((picked, n) => pickedWith(picked, n), [])).toEqual([2, 3]);
  });

  it('are restored from the address, which may have any text', () => {
    expect(pickedOf(new URLSearchParams({ pick: pickedText([7, 12]) ?? '' }))).toEqual([7, 12]);
    expect(pickedOf(new URLSearchParams('pick=7,x,7,-1,1e9'))).toEqual([7]);
    expect(pickedText([])).toBeNull();
  });
});
