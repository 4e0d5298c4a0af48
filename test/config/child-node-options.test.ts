import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { childNodeOptions } from '../../config/child-node-options.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'perpetua-options-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const hook = join(folder, 'a hook.cjs');
writeFileSync(hook, '');
mkdirSync(join(folder, 'node_modules/agent'), { recursive: true });
writeFileSync(join(folder, 'node_modules/agent/index.js'), '');
const cleaned = (options: string): string => childNodeOptions(options, folder);

test('a debugger is left out, since the parent has its port, or the child would wait for it', () => {
  expect(cleaned('--inspect --max-old-space-size=512 --inspect-brk=0 --inspect-port=9230')).toBe(
    '--max-old-space-size=512',
  );
});

test('a module that is gone is left out, in each spelling, and the rest stays', () => {
  const gone = join(folder, 'gone.cjs');
  for (const option of [`--require ${gone}`, `--require=${gone}`, `-r ${gone}`, '--import ./gone.mjs', '-r no-agent'])
    expect(cleaned(`--trace-warnings ${option} --enable-source-maps`)).toBe('--trace-warnings --enable-source-maps');
});

test('a module that is gone since this process resolved it is left out', () => {
  const passing = join(folder, 'passing.cjs');
  writeFileSync(passing, '');
  expect(cleaned(`-r ${passing}`)).toBe(`--require=${passing}`);
  rmSync(passing);
  expect(cleaned(`-r ${passing}`)).toBe('');
});

test('a module that is there gets its whole path, since a child has another folder', () => {
  const quoted = `"--require=${hook}"`;
  for (const option of [`--require "./a hook.cjs"`, `-r "${hook}"`, quoted]) expect(cleaned(option)).toBe(quoted);
  expect(cleaned('-r agent')).toBe(`--require=${join(folder, 'node_modules/agent/index.js')}`);
  expect(cleaned('--import data:text/javascript,1')).toBe('--import=data:text/javascript,1');
});
