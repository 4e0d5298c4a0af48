import { expect, it } from 'vitest';
import { candidateContent } from '../../../domain/trial/candidate.ts';

it('is the same whatever the order of the files', () => {
  expect(candidateContent({ b: '2', a: '1' }, 'h')).toBe(candidateContent({ a: '1', b: '2' }, 'h'));
});

it('differs with content, path, and the immutable content, and cannot be made equal by moving text between them', () => {
  const texts = [
    candidateContent({ a: '1', b: '2' }, 'h'),
    candidateContent({ a: '1', b: '3' }, 'h'),
    candidateContent({ a: '1', c: '2' }, 'h'),
    candidateContent({ a: '1', b: '2' }, 'i'),
    candidateContent({ a: '1"],["b","2' }, 'h'),
    candidateContent({}, 'h'),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});
