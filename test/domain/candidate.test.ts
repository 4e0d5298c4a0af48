import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { candidateContent, candidateIdOf } from '../../domain/candidate.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

it('is the same whatever the order of the files', () => {
  expect(candidateContent({ b: '2', a: '1' }, 'h')).toBe(candidateContent({ a: '1', b: '2' }, 'h'));
  expect(candidateIdOf({ a: '1' }, 'h', sha256)).toMatch(/^[0-9a-f]{64}$/);
});

it('differs with content, path, and the immutable content, and cannot be made equal by moving text between them', () => {
  const ids = [
    candidateIdOf({ a: '1', b: '2' }, 'h', sha256),
    candidateIdOf({ a: '1', b: '3' }, 'h', sha256),
    candidateIdOf({ a: '1', c: '2' }, 'h', sha256),
    candidateIdOf({ a: '1', b: '2' }, 'i', sha256),
    candidateIdOf({ a: '1"],["b","2' }, 'h', sha256),
    candidateIdOf({}, 'h', sha256),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
