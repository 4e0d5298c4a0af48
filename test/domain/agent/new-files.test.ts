import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectedIn, collectorProgram, NEW_FILES, readNewFiles } from '../../../domain/agent/new-files.ts';
import { EditRules } from '../../../domain/schema/edits.ts';

const collected = collectedIn({
  mutablePaths: ['lib/a.py'],
  rules: EditRules.parse({ create: ['lib/**/*.py'], mostNewFiles: 2 }),
  taken: [],
});

test('the program in an agent lists new files that a glob matches, follows no link, and counts the others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-new-files-'));
  try {
    mkdirSync(join(folder, 'lib/deep'), { recursive: true });
    mkdirSync(join(folder, 'lib/.git'));
    for (const path of ['lib/a.py', 'lib/b.py', 'lib/deep/ü.py', 'lib/c.py', 'lib/.git/x.py', 'x.py'])
      writeFileSync(join(folder, path), `# ${path}\n`);
    symlinkSync('/etc/passwd', join(folder, 'lib/link.py'));
    symlinkSync('/etc', join(folder, '.perpetua-agent'));
    if (collected === null) throw new Error('expected files to collect');
    execFileSync(process.execPath, ['-e', collectorProgram(collected)], { cwd: folder });
    const read = readNewFiles(readFileSync(join(folder, NEW_FILES)));
    const texts = read?.files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]) ?? [];
    expect(texts).toHaveLength(2);
    expect(read?.more).toBe(1);
    for (const [path, text] of texts)
      expect([/^lib\/(?:b|c|deep\/ü)\.py$/.test(path ?? ''), text]).toEqual([true, `# ${path}\n`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a list that the agent replaced by something else is no list', () => {
  for (const text of ['', '{}', '{"files": [["a.py", "!"]], "more": 0}', '[1]'])
    expect(readNewFiles(new TextEncoder().encode(text))).toBeNull();
});

test('without globs of new files nothing is collected', () => {
  expect(collectedIn({ mutablePaths: [], rules: EditRules.parse({}), taken: [] })).toBeNull();
});
