import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useDatabase } from '../../db/support.ts';
import { runOn } from '../support/cli.ts';

const bench = useDatabase();

test('a fleet that is applied without a host says what stays there, and where to read how to remove it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-removed-'));
  const file = join(folder, 'fleet.yaml');
  const apply = async (...names: string[]) => {
    const hosts = names.map((name) => ({ name, pool: 'p' }));
    writeFileSync(file, JSON.stringify({ pools: { p: { slots: 'cpu' } }, hosts }));
    return runOn(bench.url, ['fleet', 'apply', '--file', file]);
  };
  try {
    expect((await apply('a', 'b', 'c')).stderr).not.toContain('scratch folder');
    const without = await apply('c');
    expect(without).toMatchObject({ code: 0, stdout: 'removed: a, b\nunchanged: c\n' });
    expect(without.stderr).toContain('! the scratch folder of a, b stays there');
    expect(without.stderr).toContain('docs/guides/fleet.md, "Taking a host out"');
    expect((await apply('c')).stderr).not.toContain('scratch folder');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
