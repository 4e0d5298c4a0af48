import { describe, expect, it } from 'vitest';
import { metOutage } from '../../../domain/fleet/away.ts';

describe('a way to a host and back', () => {
  it.each([
    ['is short', 40, [40, 50, 45]],
    ['is short, and the first', 40, []],
    ['is as long as always: that host is far, or its login slow', 3200, [3000, 3100, 3050, 2990]],
    ['is as long as usual, though one was quick', 450, [400, 50, 410, 420, 400]],
  ])('met no outage where it %s', (_, took, before) => expect(metOutage(took, before)).toBe(false));

  it.each([
    ['is the first one', 6050, []],
    ['is the next one after an outage', 5000, [6050]],
    ['is longer than usual by a third of a second', 360, [50, 40, 45]],
    ['is longer than usual, though half of those before met one, too', 1300, [45, 1400, 50, 1200, 40, 1350]],
  ])('met one where it is long, and %s', (_, took, before) => expect(metOutage(took, before)).toBe(true));
});
