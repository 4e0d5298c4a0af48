import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../config/paths.ts';

const clone = mkdtempSync(join(tmpdir(), 'perpetua-imports-'));

/** Files of one line each for a small clone, with the rules that each breaks. A cycle counts for its first file. */
const FILES: Record<string, { code: string; breaks: string[] }> = {
  'infra/a.ts': { code: 'export const a = 1;', breaks: [] },
  'db/a.ts': { code: 'export const a = 1;', breaks: [] },
  'domain/a.ts': { code: 'export const a = 1;', breaks: [] },
  'activities/a.ts': { code: "import { a } from '../domain/a.ts'; export const b = a;", breaks: [] },
  'activities/types.ts': { code: "import type { a } from '../infra/a.ts'; export type A = typeof a;", breaks: [] },
  'activities/value.ts': {
    code: "import { a } from '../infra/a.ts'; export const b = a;",
    breaks: ['activities-values'],
  },
  'domain/outside.ts': {
    code: "import { a } from '../db/a.ts'; export const b = a;",
    breaks: ['domain-types', 'domain-values'],
  },
  'domain/types.ts': {
    code: "import type { a } from '../db/a.ts'; export type A = typeof a;",
    breaks: ['domain-types'],
  },
  'domain/file.ts': { code: "import { readFileSync } from 'node:fs'; readFileSync;", breaks: ['no-node-in-pure-code'] },
  'workflows/value.ts': {
    code: "import { b } from '../activities/a.ts'; export const c = b;",
    breaks: ['workflows-values'],
  },
  'workflows/file.ts': {
    code: "import { readFileSync } from 'node:fs'; readFileSync;",
    breaks: ['no-node-in-pure-code'],
  },
  'workflows/package.ts': { code: "import pg from 'pg'; pg;", breaks: ['workflows-packages'] },
  'workers/value.ts': {
    code: "import { c } from '../workflows/value.ts'; c;",
    breaks: ['workers-types', 'workers-values'],
  },
  'db/one.ts': { code: "import { two } from './two.ts'; export const one = () => two;", breaks: ['no-cycles'] },
  'db/two.ts': { code: "import { one } from './one.ts'; export const two = () => one;", breaks: [] },
};

beforeAll(() => {
  const root = packageRoot();
  for (const [path, { code }] of Object.entries({ ...FILES, 'tsconfig.json': { code: '{}' } })) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), `${code}\n`);
  }
  writeFileSync(join(clone, 'package.json'), '{ "type": "module", "dependencies": { "pg": "*" } }');
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('an import that a folder may not have is refused by its rule, and an allowed import is not refused', () => {
  const root = packageRoot();
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const folders = [...new Set(Object.keys(FILES).map((path) => dirname(path)))];
  const options = ['--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, [cli, ...folders, ...options], {
    cwd: clone,
    encoding: 'utf8',
  });
  expect(stdout, stderr).not.toBe('');
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  const broken = (path: string): string[] => {
    const rules = summary.violations.filter(({ from }) => from === path).map(({ rule }) => rule.name);
    return [...new Set(rules)].sort();
  };
  const found = Object.keys(FILES).map((path) => [path, broken(path)]);
  expect(found).toEqual(Object.entries(FILES).map(([path, { breaks }]) => [path, breaks]));
});
