import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { LANGUAGES } from '../../domain/attack/carrier.ts';
import { ATTACKS } from '../../domain/attack/table.ts';
import { blocksOf, readDoc } from './tables.ts';

const guide = await readDoc('docs/guides/evaluators.md');
const folder = mkdtempSync(join(tmpdir(), 'perpetua-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the guide to evaluators says what stops each attack', () => {
  const names = new Set([...guide.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name));
  expect(ATTACKS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test('the guide to evaluators names the endings of files that can carry an attack', () => {
  const line = guide.split('\n\n').find((paragraph) => /can\s+carry\s+an\s+attack/.test(paragraph)) ?? '';
  expect(LANGUAGES.filter((ending) => !line.includes(`.${ending}`))).toEqual([]);
});

/** Runs the evaluator of the guide with an artefact; returns its exit code, and its output on descriptor 3. */
function scored(artefact: string | Buffer): { code: number | null; result: string } {
  mkdirSync(join(folder, 'artefacts'), { recursive: true });
  writeFileSync(join(folder, 'artefacts', 'guess.json'), artefact);
  writeFileSync(join(folder, 'score.py'), blocksOf(guide, 'python')[0] ?? '');
  const { status, output } = spawnSync('python3', ['score.py'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return { code: status, result: String(output[3] ?? '') };
}

test('the evaluator of the guide scores honest work', () => {
  expect(scored('{"guess": 5}')).toEqual({ code: 0, result: '{"error": 2.0}' });
});

test.each([
  ['nothing', ''],
  ['two values', '0.0\n1.0'],
  ['deep lists', '['.repeat(300_000) + ']'.repeat(300_000)],
  ['a gzip file', gzipSync(Buffer.alloc(1_000_000))],
  ['NaN', '{"guess": NaN}'],
  ['infinity', '{"guess": -Infinity}'],
  ['an integer of 400 digits', `{"guess": ${'9'.repeat(400)}}`],
  ['an integer of 5000 digits', `{"guess": ${'9'.repeat(5000)}}`],
  ['a text', '{"guess": "7"}'],
  ['a truth value', '{"guess": true}'],
  ['a list', '[7]'],
])('the evaluator of the guide charges a candidate with %s', (_, artefact) => {
  expect(scored(artefact)).toEqual({ code: 3, result: '' });
});
